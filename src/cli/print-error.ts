import { withoutControlsInLines } from '../contract/describe.ts'
import { colorsFor } from './colors.ts'

/** Prints an error to standard error, also with --json, with the page of the package's documentation that explains it. */
export function printError(message: string, page?: string): void {
  process.stderr.write(formatError(message, page))
}

export function formatError(message: string, page?: string): string {
  const { dim, red } = colorsFor(process.stderr)
  const reference = page === undefined ? '' : ` ${dim(`(${page})`)}`
  return `${red('error')} ${withoutControlsInLines(message)}${reference}\n`
}

export function printWarning(message: string): void {
  const { yellow } = colorsFor(process.stderr)
  process.stderr.write(`${yellow('warning')} ${withoutControlsInLines(message)}\n`)
}
