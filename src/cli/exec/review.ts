import { mkdtemp, mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, parse } from 'node:path'
import { withoutControls } from '../../contract/describe.ts'
import { toReportInput } from '../../review/reports/report-input.ts'
import type { ReportInput } from '../../review/reports/report-input.ts'
import { toTerminal } from '../../review/reports/terminal.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { codeOf, toFileReason } from '../../server/file-errors.ts'
import { CommandError } from '../../world/command-error.ts'
import { colorsFor } from '../colors.ts'
import { printError } from '../print-error.ts'
import { writeReports } from '../write-reports.ts'
import type { ReportFile } from '../report-option.ts'
import type { ServeSettings } from '../serve-options.ts'

/** Reviews the client, and saves the session that reproduces what it did wrong. */
export async function review(
  sandbox: Sandbox,
  reports: readonly ReportFile[],
): Promise<ReportInput> {
  const input = toReportInput(sandbox.review(), sandbox.world.journal.requests())
  const isFaultless = input.review.checks.every(({ result }) => result !== 'failed')
  return isFaultless ? input : { ...input, session: await saveSession(sandbox, reports) }
}

/** Saves it beside the first report or in a new temporary folder. Prints why it cannot be saved, and returns undefined. */
async function saveSession(
  sandbox: Sandbox,
  [first]: readonly ReportFile[],
): Promise<string | undefined> {
  let path = first && join(dirname(first.path), `${parse(first.path).name}.session.json`)
  try {
    const text = JSON.stringify(await sandbox.session())
    path ??= join(await mkdtemp(join(tmpdir(), 'seo-sandbox-')), 'session.json')
    await mkdir(dirname(path), { recursive: true })
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
