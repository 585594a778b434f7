import { withoutControls } from '../../contract/describe.ts'
import type { JudgedRehearsal } from '../../rehearsal/judge-rehearsal.ts'
import { dayOf } from '../../review/reports/rehearsal.ts'
import { toJson } from '../../review/reports/json.ts'
import { toTerminal } from '../../review/reports/terminal.ts'
import { firstReproductionOf } from '../../review/reports/wording.ts'
import { annotate } from '../annotate.ts'
import { colorsFor } from '../colors.ts'
import { quote } from '../quote.ts'
import { writeReports } from '../write-reports.ts'
import type { FailedRun } from './command-driver.ts'
import type { RehearseSettings } from './settings.ts'

interface PublishOptions {
  /** The path, as people see it, of the folder with the output of the runs. */
  folder: string
  /** The last runs that failed. */
  failed: readonly FailedRun[]
  settings: RehearseSettings
}

/**
 * Prints a rehearsal, unless --quiet is set and nothing is wrong, and writes it to files.
 *
 * @throws OptionError where a file cannot be written.
 */
export async function publish(
  review: JudgedRehearsal,
  { folder, failed, settings }: PublishOptions,
): Promise<void> {
  const { served, reports } = settings
  const { json = false, quiet = false } = served
  const input = { review, again: again(review, settings) }
  const hasPassed = review.verdict === 'passed'
  if (!hasPassed && !json && !quiet) process.stderr.write(describeFailed(failed, review, folder))
  if (json) process.stdout.write(toJson(input))
  else if (!quiet || !hasPassed) process.stdout.write(toTerminal(input, colorsFor(process.stdout)))
  if (!quiet || !hasPassed) annotate(input)
  await writeReports(input, reports)
}

const MOST_LINES = 5

/** The end of what the last runs that failed have printed. */
function describeFailed(
  failed: readonly FailedRun[],
  { runs }: JudgedRehearsal,
  folder: string,
): string {
  if (failed.length === 0) return ''
  const { dim } = colorsFor(process.stderr)
  const lines = failed.flatMap(({ run: { index, message = '' }, output }) => {
    const run = runs.find(({ number }) => number === index + 1)
    const name = `Run ${index + 1}${run ? `, ${dayOf(run.at)}` : ''}`
    return [
      withoutControls(`${name}: ${message}`),
      ...output.lastLines(MOST_LINES).map((text) => dim(`  ${text}`)),
    ]
  })
  const all = [`The last runs that failed (their output is in ${folder}):`, ...lines, '', '']
  return all.join('\n')
}

/** The command that repeats the first finding, from the start of the rehearsal. */
function again(
  review: JudgedRehearsal,
  { flags }: Pick<RehearseSettings, 'flags'>,
): string | undefined {
  const first = firstReproductionOf(review)
  if (!first) return undefined
  const { seed, start, until } = first
  const options = [
    ...Object.entries(flags).flatMap(toOptions),
    `--seed ${quote(seed)} --start ${start} --until ${until}`,
  ]
  return `npx seo-sandbox rehearse ${options.join(' ')} -- ${review.context.command ?? 'COMMAND'}`
}

/** The options that do not change a finding, or that the command sets itself. */
const NOT_AGAIN = 'seed start until report json quiet dry-run port admin-key'.split(' ')

/** A flag as it was given. */
function toOptions([name, value]: [name: string, value: unknown]): string[] {
  if (NOT_AGAIN.includes(name)) return []
  const values = [value].flat().map(String)
  return value === true ? [`--${name}`] : values.map((text) => `--${name} ${quote(text)}`)
}
