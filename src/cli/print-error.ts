import { colorsFor } from './colors.ts'

/** On standard error, also with --json. */
export function printError(message: string): void {
  process.stderr.write(`${colorsFor(process.stderr).red('error')} ${message}\n`)
}

export function printWarning(message: string): void {
  process.stderr.write(`${colorsFor(process.stderr).yellow('warning')} ${message}\n`)
}
