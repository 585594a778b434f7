import type { RehearsedRun } from '../../review/rehearsal.ts'

interface FlakyOptions {
  /** How often each run is repeated, at most. */
  retries: number
  isStopped: () => boolean
  /** Runs the client again as before a run; undefined where it was stopped. */
  repeat: (number: number, attempt: number) => Promise<RehearsedRun | undefined>
}

/** Repeats runs, until one ends in another way: those are marked as flaky. */
export async function findFlaky(
  runs: readonly RehearsedRun[],
  numbers: readonly number[],
  { retries, isStopped, repeat }: FlakyOptions,
): Promise<RehearsedRun[]> {
  const flaky = new Set<number>()
  for (const number of numbers) {
    const first = runs.find((run) => run.number === number)!
    for (let attempt = 1; attempt <= retries && !flaky.has(number) && !isStopped(); attempt += 1) {
      const again = await repeat(number, attempt)
      if (again && !isSame(first, again)) flaky.add(number)
    }
  }
  return runs.map((run) => (flaky.has(run.number) ? { ...run, flaky: true } : run))
}

/** Compares only what each run shows by itself, because most checks find a habit only once. */
function isSame(first: RehearsedRun, again: RehearsedRun): boolean {
  const isSilent = ({ findings }: RehearsedRun) => findings.includes('silent-failure')
  return (
    first.ended === again.ended && first.exit === again.exit && isSilent(first) === isSilent(again)
  )
}
