import type { EndedRun } from '../../rehearsal/ended-run.ts'
import { createProgress } from '../progress.ts'
import type { Progress } from '../progress.ts'
import { sayDuration } from '../say-duration.ts'
import type { ServeSettings } from '../serve-options.ts'

/** After so many runs it is known how long all will take. */
const RUNS_TO_ESTIMATE = 5
/** Shorter rehearsals need no estimate. */
const SHORT_MS = 10_000

/** How far a rehearsal is, on standard error. */
export class RehearsalProgress {
  readonly #runs: number
  readonly #isQuiet: boolean
  readonly #progress: Progress
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
