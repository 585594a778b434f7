import type { WriteStream } from 'node:tty'

/** What happens before anything is said, in milliseconds: most commands are done by then. */
const QUIET_MS = 1000

/** How often a terminal's line is renewed, and how often there is a new line elsewhere. */
const EVERY_MS = { terminal: 100, log: 10_000 }

const CLEAR_LINE = '\r\u001B[2K'

/** Tells what takes longer than a second, and how far it is. */
export interface Progress {
  /** How many of how many are done of what is going on. */
  report: (what: string, done: number, total: number) => void
  /** Says at once what is going on, where it will take long and nothing is known on the way. */
  announce: (what: string) => void
  /** Removes the line from a terminal. */
  end: () => void
  /** The items, while what is done with each of them is reported; ends the progress with them. */
  during: <Item>(what: string, items: Iterable<Item>, total: number) => Iterable<Item>
}

type Output = Pick<WriteStream, 'isTTY'> & { write: (text: string) => unknown }

/** Progress on standard error: a line that is renewed on a terminal, and lines elsewhere. */
export function createProgress(
  output: Output = process.stderr,
  now = () => performance.now(),
): Progress {
  const isTerminal = output.isTTY && process.env['TERM'] !== 'dumb'
  const everyMs = isTerminal ? EVERY_MS.terminal : EVERY_MS.log
  let dueMs = now() + QUIET_MS
  let isShown = false

  const announce = (line: string): void => {
    isShown = true
    output.write(isTerminal ? `${CLEAR_LINE}${line}` : `${line}\n`)
  }
  const report = (what: string, done: number, total: number): void => {
    const ms = now()
    if (ms < dueMs) return
    dueMs = ms + everyMs
    announce(`${what}: ${Math.floor((done / total) * 100)} %`)
  }
  const end = (): void => {
    if (isShown && isTerminal) output.write(CLEAR_LINE)
    isShown = false
  }
  function* during<Item>(what: string, items: Iterable<Item>, total: number): Iterable<Item> {
    let done = 0
    for (const item of items) {
      report(what, done, total)
      yield item
      done += 1
    }
    end()
  }
  return { report, announce, end, during }
}
