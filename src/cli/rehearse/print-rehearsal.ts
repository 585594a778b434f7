import { withoutControls, toShownJson } from '../../contract/text.ts'
import type { EndedRun } from '../../rehearsal/ended-run.ts'
import type { JudgedRehearsal } from '../../rehearsal/judge-rehearsal.ts'
import { toJson } from '../../review/reports/formats.ts'
import { dayOf, listNotRehearsed } from '../../review/reports/rehearsal.ts'
import { toTerminal } from '../../review/reports/terminal.ts'
import { firstReproductionOf } from '../../review/reports/wording.ts'
import type { Plan } from '../../review/review.ts'
import { count } from '../../wording/count.ts'
import { createProgress } from '../command-progress.ts'
import type { CommandProgress } from '../command-progress.ts'
import { colorsFor, quote, sayDuration } from '../print.ts'
import type { ServeSettings } from '../serve-options.ts'
import { annotate, writeReports } from '../write-reports.ts'
import type { FailedRun } from './command-driver.ts'
import type { RehearseSettings } from './command-stage.ts'

interface PublishOptions {
  /** Display path of the folder with the output of the runs. */
  folder: string
  failed: readonly FailedRun[]
  settings: RehearseSettings
}

/**
 * Prints a rehearsal, and writes it to files. With --quiet, a passed rehearsal is printed only with --json.
 *
 * @throws OptionError if a file cannot be written.
 */
export async function publishRehearsal(
  review: JudgedRehearsal,
  { folder, failed, settings }: PublishOptions,
): Promise<void> {
  const { served, reports } = settings
  const { json = false, quiet = false } = served
  const input = { review, repeatCommand: repeatCommand(review, settings) }
  const hasPassed = review.verdict === 'passed'
  if (!hasPassed && !json && !quiet) process.stderr.write(describeFailed(failed, review, folder))
  if (json) process.stdout.write(toJson(input))
  else if (!quiet || !hasPassed) process.stdout.write(toTerminal(input, colorsFor(process.stdout)))
  if (!quiet || !hasPassed) annotate(input)
  await writeReports(input, reports)
}

const MOST_LINES = 5

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

/**
 * Returns the command that reproduces the first finding, from the start of the rehearsal; undefined without a finding
 * to reproduce.
 */
function repeatCommand(
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

/** Options that `repeatCommand` leaves out, because they do not change a finding, or because it sets them itself. */
const NOT_REPRODUCED = 'seed start until report json quiet dry-run port admin-key'.split(' ')

function toOptions([name, value]: [name: string, value: unknown]): string[] {
  if (NOT_REPRODUCED.includes(name)) return []
  const values = [value].flat().map(String)
  return value === true ? [`--${name}`] : values.map((text) => `--${name} ${quote(text)}`)
}

const RUNS_TO_ESTIMATE = 5
/** Estimated duration above which a rehearsal's duration is announced, in milliseconds. */
const SHORT_MS = 10_000

export class RehearsalProgress {
  readonly #runs: number
  readonly #isQuiet: boolean
  readonly #progress: CommandProgress
  readonly #beganMs = performance.now()
  #done = 0
  #failed = 0

  constructor(runs: number, { quiet = false, json = false }: ServeSettings) {
    this.#runs = runs
    this.#isQuiet = quiet || json
    this.#progress = createProgress(
      this.#isQuiet ? { isTTY: false, write: () => {} } : process.stderr,
    )
  }

  onRun({ ended }: EndedRun): void {
    this.#done += 1
    if (ended !== 'done') this.#failed += 1
    const allMs = ((performance.now() - this.#beganMs) / this.#done) * this.#runs
    const isKnown = this.#done >= RUNS_TO_ESTIMATE && this.#done < this.#runs
    if (this.#done === RUNS_TO_ESTIMATE && allMs > SHORT_MS && !this.#isQuiet) {
      this.#progress.end()
      process.stderr.write(
        `seo-sandbox: ${this.#runs} runs will take about ${sayDuration(allMs)}.\n`,
      )
    }
    const left = isKnown ? `, about ${sayDuration(allMs * (1 - this.#done / this.#runs))} left` : ''
    const failed = this.#failed === 0 ? '' : `, ${this.#failed} failed`
    const what = `Run ${this.#done} of ${this.#runs}${failed}${left}`
    this.#progress.report(what, this.#done, this.#runs)
  }

  end(): void {
    this.#progress.end()
  }
}

/** Typical time to start a small script, in milliseconds. */
const USUAL_MS = 200

/** Prints a plan, with examples of its duration unless `json` is set. Returns the exit code. */
export function printPlan(plan: Plan, { json = false }: ServeSettings): number {
  process.stdout.write(json ? `${toShownJson(plan)}\n` : toText(plan))
  return 0
}

function toText({ seed, profile, start, every, runs, lacks }: Plan): string {
  const { bold, dim } = colorsFor(process.stdout)
  const width = String(runs.length).length
  const busy = runs.filter(({ events }) => events.length > 0)
  const lines = [
    bold(
      `${count(runs.length, 'run')} from ${start.slice(0, 10)} on, ${every} apart (${profile}, seed ${seed})`,
    ),
    ...busy.map(
      ({ number, at, kind, events }) =>
        `${String(number).padStart(width)}  ${dayOf(at).padEnd(6)}  ${dim(kind.padEnd(6))}  ${events.join('; ')}`,
    ),
    ...(busy.length < runs.length
      ? [`Nothing special happens in the other ${count(runs.length - busy.length, 'run')}.`]
      : []),
    ...listNotRehearsed(lacks),
    `A command that takes ${sayDuration(USUAL_MS)} would take ${sayDuration(USUAL_MS * runs.length)} in all, one that takes a second ${sayDuration(1000 * runs.length)}; its own pauses come on top.`,
  ]
  return `${lines.join('\n')}\n`
}
