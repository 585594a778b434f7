import { existsSync } from 'node:fs'
import { appendFile, mkdir, open, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { withoutControls } from '../contract/text.ts'
import { toAnnotations } from '../review/reports/annotations.ts'
import { REPORT_FORMATS } from '../review/reports/formats.ts'
import type { ReportInput } from '../review/reports/report-input.ts'
import { errorCodeOf, toFileReason } from '../server/file-errors.ts'
import { OptionError } from '../world/options/option-error.ts'
import type { ReportFile } from './command-options.ts'

/**
 * Creates the folders of reports, and checks that the reports can be written, before anything runs.
 *
 * @param session the file of the session, which no report may overwrite; undefined without one
 * @throws OptionError if a report cannot be written, or is the same file as another report or the session
 */
export async function prepareReports(
  files: readonly ReportFile[],
  session: string | undefined,
): Promise<void> {
  const taken = new Map<string, string>()
  const created: string[] = []
  try {
    for (const { path } of files) {
      const file = await writing(path, () => tryToWrite(path, created))
      if (file === undefined) continue
      const other = taken.get(file)
      if (other !== undefined) {
        throw new OptionError(
          withoutControls(
            `--report: ${other} and ${path} are the same file. Name a different one for each format.`,
          ),
        )
      }
      taken.set(file, path)
    }
    if (session !== undefined && taken.has(await identify(session).catch(() => ''))) {
      throw new OptionError(
        withoutControls(`--report: ${session} is the file of the session. Choose another name.`),
      )
    }
  } finally {
    // Kept until now, so that names that differ only in case are recognised as one file on a volume that ignores case.
    for (const path of created) await rm(path, { force: true })
  }
}

/**
 * Checks that a file can be written, and returns its identity. Undefined for a special file such as a pipe, which may be opened
 * only once. Adds the path to `created` if the file did not exist.
 */
async function tryToWrite(path: string, created: string[]): Promise<string | undefined> {
  await createFolder(dirname(path))
  const entry = await stat(path).catch(() => undefined)
  if (entry && !entry.isFile() && !entry.isDirectory()) return undefined
  await (await open(path, 'a')).close()
  if (entry === undefined) created.push(await realpath(path))
  return identify(path)
}

/** Returns an identity that all paths to a file share, including links and, on a volume that ignores case, other letter case. */
async function identify(path: string): Promise<string> {
  const { dev, ino } = await stat(path, { bigint: true })
  return `${dev}:${ino}`
}

/**
 * Creates a folder and its parents. Node's recursive mkdir never ends under /proc, and mistakes a read-only disk for a missing
 * folder.
 */
export async function createFolder(path: string): Promise<void> {
  if (existsSync(path) || dirname(path) === path) return
  await createFolder(dirname(path))
  await mkdir(path).catch((error: unknown) => {
    if (errorCodeOf(error) !== 'EEXIST') throw error
  })
}

/**
 * Writes a review to files, creating their folders. In a job of GitHub Actions, also appends it to the job's summary, as
 * Markdown.
 *
 * @throws OptionError if a file cannot be written
 */
export async function writeReports(
  input: ReportInput,
  files: readonly ReportFile[],
): Promise<void> {
  for (const { format, path } of files) {
    await writing(path, async () => {
      await createFolder(dirname(path))
      await writeFile(path, REPORT_FORMATS[format](input))
    })
  }
  const summary = process.env['GITHUB_STEP_SUMMARY']
  if (summary === undefined || summary === '') return
  await writing(summary, () => appendFile(summary, REPORT_FORMATS.markdown(input)))
}

async function writing<Result>(path: string, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    const isNoPlace = errorCodeOf(error) === 'ENOENT'
    const reason = isNoPlace
      ? 'No file can be created there. Choose another folder.'
      : toFileReason(error)
    throw new OptionError(withoutControls(`${path}: ${reason}`), { cause: error })
  }
}

/**
 * In a job of GitHub Actions, prints findings as annotations. They go to standard error, because standard output is for the
 * result.
 */
export function annotate(input: ReportInput): void {
  if (process.env['GITHUB_ACTIONS'] === 'true') process.stderr.write(toAnnotations(input))
}
