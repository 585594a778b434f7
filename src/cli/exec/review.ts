import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, parse } from 'node:path'
import { withoutControls } from '../../contract/describe.ts'
import { VERSION } from '../../contract/version.ts'
import { explainUnmet } from '../../rehearsal/storm.ts'
import { judgeRun } from '../../review/judge.ts'
import type { ReportInput } from '../../review/reports/report-input.ts'
import { toTerminal } from '../../review/reports/terminal.ts'
import { isFailure } from '../../review/verdict.ts'
import type { SessionRun } from '../../session/session.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { codeOf, toFileReason } from '../../server/file-errors.ts'
import { CommandError } from '../../world/command-error.ts'
import { colorsFor } from '../colors.ts'
import { printError } from '../print-error.ts'
import { createFolder, writeReports } from '../write-reports.ts'
import type { ReportFile } from '../report-option.ts'
import type { ServeSettings } from '../serve-options.ts'

/** Reviews the client in all sessions, and saves the last one where it reproduces errors, warnings, or what fails the run. */
export async function review(
  sandbox: Sandbox,
  { run, reports }: { run: SessionRun; reports: readonly ReportFile[] },
): Promise<ReportInput> {
  const judged = judgeRun(run, {
    version: VERSION,
    review: (projects) => sandbox.review({ since: 'start', ...(projects && { projects }) }),
    explainUnmet: (id) => explainUnmet(id, sandbox.world.journal.requests()),
  })
  const last = sandbox.review()
  const isWhole = last.requests === judged.requests
  const isWorthSaving =
    (isWhole && isFailure(judged)) ||
    last.checks.some(({ result, severity }) => result === 'failed' && severity !== 'notice')
  // What is required is of the whole run.
  const saved = isWhole ? run : { ...run, require: [] }
  const session = isWorthSaving ? await saveSession(sandbox, { run: saved, reports }) : undefined
  return { review: judged, session }
}

/** Where the session is saved beside the first report; undefined without one. */
export function sessionFileOf([first]: readonly ReportFile[]): string | undefined {
  return first && join(dirname(first.path), `${parse(first.path).name}.session.json`)
}

/** Saves it beside the first report or in a new temporary folder. Prints why it cannot be saved, and returns undefined. */
async function saveSession(
  sandbox: Sandbox,
  { run, reports }: { run: SessionRun; reports: readonly ReportFile[] },
): Promise<string | undefined> {
  let path = sessionFileOf(reports)
  try {
    const text = JSON.stringify({ ...(await sandbox.session()), run })
    path ??= join(await mkdtemp(join(tmpdir(), 'seo-sandbox-')), 'session.json')
    await createFolder(dirname(path))
    await writeFile(path, text)
    return path
  } catch (error) {
    printError(whyUnsaved(error, path ?? tmpdir()))
    return undefined
  }
}

/** @throws the error if it is about neither the session nor a file. */
function whyUnsaved(error: unknown, path: string): string {
  if (error instanceof CommandError) {
    return 'The session could not be saved: it has more steps than --journal keeps, or its memory was needed. Set a larger --journal.'
  }
  if (codeOf(error) === '') throw error
  return withoutControls(`${path}: The session could not be saved. ${toFileReason(error)}`)
}

/**
 * Prints a review to standard error, unless --quiet is set and nothing is wrong, and writes it to files.
 *
 * @throws OptionError where a file cannot be written.
 */
export async function publish(
  input: ReportInput,
  reports: readonly ReportFile[],
  { json, quiet }: ServeSettings,
): Promise<void> {
  const { review: reviewed, session = null } = input
  if (!quiet || reviewed.verdict !== 'passed') {
    const text = json
      ? `${JSON.stringify({ event: 'reviewed', session, review: reviewed })}\n`
      : toTerminal(input, colorsFor(process.stderr))
    process.stderr.write(text)
  }
  await writeReports(input, reports)
}
