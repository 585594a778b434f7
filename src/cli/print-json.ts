import { toShownJson } from '../contract/describe.ts'

/** Prints JSON to standard output, on one line unless `space` is its indentation. */
export function printJson(value: unknown, space?: number): void {
  process.stdout.write(`${toShownJson(value, space)}\n`)
}
