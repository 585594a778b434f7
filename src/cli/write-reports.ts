import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { withoutControls } from '../contract/describe.ts'
import { REPORT_FORMATS } from '../review/reports/formats.ts'
import type { ReportInput } from '../review/reports/report-input.ts'
import { toFileReason } from '../server/file-errors.ts'
import { OptionError } from '../world/option-error.ts'
import type { ReportFile } from './report-option.ts'

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
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, REPORT_FORMATS[format](input))
    })
  }
  const summary = process.env['GITHUB_STEP_SUMMARY']
  if (summary === undefined || summary === '') return
  await writing(summary, () => appendFile(summary, REPORT_FORMATS.markdown(input)))
}

async function writing(path: string, write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    throw new OptionError(withoutControls(`${path}: ${toFileReason(error)}`), { cause: error })
  }
}
