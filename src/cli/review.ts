import { toJson } from '../review/reports/json.ts'
import { toTerminal } from '../review/reports/terminal.ts'
import type { Demands, JudgedReview } from '../review/judge.ts'
import { isFailure } from '../review/verdict.ts'
import { judgeSession } from '../sandbox/review-session.ts'
import { listOption, parseFlag } from '../world/options/parse-option.ts'
import { annotate } from './annotate.ts'
import type { Flags } from './cli-command.ts'
import { colorsFor } from './colors.ts'
import { createControlClient } from './observe/control-client.ts'
import { judgeServer } from './observe/judge-server.ts'
import { requireAlone } from './observe/observed-world.ts'
import { readReportFiles } from './report-option.ts'
import { prepareReports, writeReports } from './write-reports.ts'
import { readDemands } from './settings.ts'
import { withSession } from './session-file.ts'

const PASSED = 0
const FAILED = 1

/**
 * `seo-sandbox review`: reviews the client of the session in a file, which it replays, or of a running server, and
 * returns the exit code.
 *
 * @throws OptionError if the file is not a session of this release, where no server answers, and where a file cannot be written.
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
