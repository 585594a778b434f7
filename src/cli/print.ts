import type { WriteStream } from 'node:tty'
import colors from 'picocolors'
import { withoutControlsInLines, toShownJson } from '../contract/text.ts'

/** Prints an error to standard error, even with --json. `page` is the page of the package's documentation about the error. */
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

/** Prints JSON to standard output, indented by `space` characters; on one line if `space` is omitted. */
export function printJson(value: unknown, space?: number): void {
  process.stdout.write(`${toShownJson(value, space)}\n`)
}

/**
 * Returns the colours for a stream. A stream that is no terminal has none, unless FORCE_COLOR is set. NO_COLOR and
 * FORCE_COLOR=0 turn colours off.
 */
export function colorsFor(
  stream: Pick<WriteStream, 'isTTY'>,
): ReturnType<typeof colors.createColors> {
  const forced = process.env['FORCE_COLOR']
  if (forced === '0' || forced === 'false') return colors.createColors(false)
  return colors.createColors((stream.isTTY || forced !== undefined) && colors.isColorSupported)
}

/** Splits a string at spaces into lines of at most `width` characters. Longer words stay whole. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(/(?<=\S) (?=\S)/)) {
    const line = lines.at(-1)
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = `${line} ${word}`
  }
  return lines
}

/** Quotes a word for pasting into a command line: for `cmd` on Windows, and for `sh` elsewhere. */
export function quote(word: string, platform: NodeJS.Platform = process.platform): string {
  if (platform !== 'win32') {
    return /^[\w./:@%+=,~-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
  }
  if (/^[\w./\\:@%+=,~-]+$/.test(word)) return word
  // Before a quotation mark, programs read two backslashes as one.
  return `"${word.replaceAll(/(\\*)(?="|$)/g, '$1$1').replaceAll('"', String.raw`\"`)}"`
}

const MINUTE_S = 60
const HOUR_S = 3600

/** Formats a duration in milliseconds for people: `0.3 s`, `45 s`, `2 min`, `1 h 20 min`. */
export function sayDuration(ms: number): string {
  if (ms < 9950) return `${Math.round(ms / 100) / 10} s`
  const s = Math.round(ms / 1000)
  if (s < 2 * MINUTE_S && s % MINUTE_S !== 0) return `${s} s`
  const minutes = Math.round(s / MINUTE_S)
  if (s < HOUR_S) return `${minutes} min`
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`
}
