import { existsSync } from 'node:fs'
import { appendFile, mkdir, open, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { withoutControls } from '../contract/describe.ts'
import { REPORT_FORMATS } from '../review/reports/formats.ts'
import type { ReportInput } from '../review/reports/report-input.ts'
import { codeOf, toFileReason } from '../server/file-errors.ts'
import { followLinks } from '../server/replace-file.ts'
import { OptionError } from '../world/option-error.ts'
import type { ReportFile } from './report-option.ts'

/**
 * Creates the folders of reports, and checks that they can be written, before anything runs.
 *
 * @param session a file that no report may be
 * @throws OptionError where one cannot be written, or two would be the same file
 */
export async function prepareReports(
  files: readonly ReportFile[],
  session: string | undefined,
): Promise<void> {
  const taken = new Map<string, string>()
  for (const { path } of files) {
    const target = await writing(path, () => tryToWrite(path))
    if (target !== undefined && taken.has(target)) {
      throw new OptionError(
        withoutControls(
          `--report: ${taken.get(target)} and ${path} are one file. Name another for each format.`,
        ),
      )
    }
    if (target !== undefined) taken.set(target, path)
  }
  if (session !== undefined && taken.has(await followLinks(session).catch(() => session))) {
    throw new OptionError(
      withoutControls(`--report: ${session} is the file of the session. Choose another name.`),
    )
  }
}

/** Returns the file that the path leads to; undefined for one that is not a regular file, such as a pipe, which can only be opened once. */
async function tryToWrite(path: string): Promise<string | undefined> {
  await createFolder(dirname(path))
  const entry = await stat(path).catch(() => undefined)
  if (entry && !entry.isFile() && !entry.isDirectory()) return undefined
  await (await open(path, 'a')).close()
  const target = await realpath(path)
  if (entry === undefined) await rm(target)
  return target
}

/**
 * Creates a folder and those above it. Node's recursive mkdir never ends under /proc, and takes a read-only disk for a
 * missing folder.
 */
export async function createFolder(path: string): Promise<void> {
  if (existsSync(path) || dirname(path) === path) return
  await createFolder(dirname(path))
  await mkdir(path).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error
  })
}

/**
 * Writes a review to files, whose folders are created, and as Markdown to the summary of a job of GitHub Actions.
 *
 * @throws OptionError where one cannot be written
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
    const isNoPlace = codeOf(error) === 'ENOENT'
    const reason = isNoPlace
      ? 'No file can be created there. Choose another folder.'
      : toFileReason(error)
    throw new OptionError(withoutControls(`${path}: ${reason}`), { cause: error })
  }
}
