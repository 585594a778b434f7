/** Much work in small steps, so that other work can go on in between. */
export type Steps<Result = void> = Generator<undefined, Result, undefined>

/** Lets other work of the process go on if it is its turn; undefined if it is not. */
export type Pause = () => Promise<void> | undefined

/** Runs all steps without letting anything go on in between. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** Runs all steps; with `pause`, it is asked after each of them. */
export async function runWithPauses<Result>(steps: Steps<Result>, pause?: Pause): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    const pausing = pause?.()
    if (pausing) await pausing
  }
}
