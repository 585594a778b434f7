import { z } from 'zod'
import { GapStatus } from '../contract/control-status.ts'
import { changedOf } from '../contract/policies.ts'
import { toDateTime } from '../contract/time.ts'
import { ClockState } from '../journal/applied-command.ts'
import { judge } from '../review/judge.ts'
import type { Demands, JudgedReview } from '../review/judge.ts'
import { toJson } from '../review/reports/formats.ts'
import { toTerminal } from '../review/reports/terminal.ts'
import { RequiredReview } from '../review/review.ts'
import { isFailure } from '../review/verdict.ts'
import { judgeSession } from '../sandbox/review-session.ts'
import { listOption, parseFlag } from '../world/options/parse-option.ts'
import { WorldOrigin } from '../world/world-origin.ts'
import type { Flags } from './cli-command.ts'
import { readReportFiles } from './command-options.ts'
import { createControlClient, requireAlone } from './observe/observed-world.ts'
import type { ControlClient } from './observe/observed-world.ts'
import { colorsFor } from './print.ts'
import { readDemands } from './read-settings.ts'
import { withSession } from './session-file.ts'
import { annotate, prepareReports, writeReports } from './write-reports.ts'

const PASSED = 0
const FAILED = 1

/**
 * `seo-sandbox review`: reviews the client of a recorded session, or of a running server. Returns the exit code.
 *
 * @throws OptionError if an option is invalid, the file is not a complete session of this release, the server cannot be asked,
 * or a report cannot be written.
 */
export async function review(file: string | undefined, flags: Flags): Promise<number> {
  const { json, require: required } = flags
  const files = readReportFiles(flags)
  const named = parseFlag(ProjectIds, flags, 'projects')?.map(Number)
  const demands = await readDemands(required)
  await prepareReports(files, file)
  const reviewed = await judgeWorld(file, { flags, demands: { ...demands, projects: named } })
  const input = { review: reviewed, session: file }
  process.stdout.write(json ? toJson(input) : toTerminal(input, colorsFor(process.stdout)))
  annotate(input)
  await writeReports(input, files)
  return isFailure(reviewed) ? FAILED : PASSED
}

async function judgeWorld(
  file: string | undefined,
  { flags, demands }: { flags: Flags; demands: Demands & { projects: number[] | undefined } },
): Promise<JudgedReview> {
  if (file === undefined) return judgeServer(await createControlClient(flags), demands)
  requireAlone(flags)
  return withSession(file, (session) => judgeSession(session, demands))
}

const ProjectIds = listOption((text) => /^[1-9]\d{0,14}$/.test(text), {
  noun: 'the id of a project',
  remedy: 'use one like 101',
})

const Health = z.looseObject({ version: z.string() })

/**
 * Judges the client of a running server by the server's own review, `require` and `waive`.
 *
 * @throws OptionError
 */
export async function judgeServer(
  { get }: ControlClient,
  { require, waive, projects }: Demands & { projects: readonly number[] | undefined },
): Promise<JudgedReview> {
  const query = {
    projects: projects?.join(','),
    // Adds the projects in the requirements to the ledger of the server's review.
    require: require.length > 0 ? require.join(',') : undefined,
  }
  const [{ required: _, ...reviewed }, origin, clock, gaps, { version }] = await Promise.all([
    get('/review', RequiredReview, query),
    get('/origin', WorldOrigin),
    get('/clock', ClockState),
    get('/policies', z.array(GapStatus)),
    get('/health', Health),
  ])
  const fixtures = origin.fixtures ?? []
  const context = {
    command: null,
    exit: null,
    date: toDateTime(Date.now()),
    world: { ...origin.options, ...(fixtures.length > 0 && { fixtures }) },
    policies: changedOf(gaps),
    clocks: { world: { from: origin.loaded_at, to: clock.now }, rate: null },
    version,
  }
  return judge(reviewed, { require, waive, context })
}
