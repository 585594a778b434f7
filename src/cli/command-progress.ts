import type { WriteStream } from 'node:tty'
import { withoutControls } from '../contract/text.ts'
import { loadFixtures } from '../fixtures/load-fixtures.ts'
import type { FixtureFiles } from '../fixtures/source.ts'

/** Time before the first report, in milliseconds: most commands are done by then, and report nothing. */
const FIRST_REPORT_MS = 1000

const INTERVAL_MS = { terminal: 100, log: 10_000 }

const CLEAR_LINE = '\r\u001B[2K'

export interface CommandProgress {
  /**
   * Reports `done` as a percentage of `total`, at most once per interval, and not in the first second. `task` names the
   * work.
   */
  report: (task: string, done: number, total: number) => void
  /** Immediately reports `task` without a percentage. For long work whose progress cannot be measured. */
  announce: (task: string) => void
  /** Clears the progress line of a terminal. */
  end: () => void
  /** Yields the items, reports progress before each, and calls `end` after the last one. */
  during: <Item>(task: string, items: Iterable<Item>, total: number) => Iterable<Item>
}

type Output = Pick<WriteStream, 'isTTY'> & { write: (text: string) => unknown }

/** Creates a progress display on `output`: one line that is updated on a terminal, new lines elsewhere. */
export function createProgress(
  output: Output = process.stderr,
  now = () => performance.now(),
): CommandProgress {
  const isTerminal = output.isTTY && process.env['TERM'] !== 'dumb'
  const intervalMs = isTerminal ? INTERVAL_MS.terminal : INTERVAL_MS.log
  let dueMs = now() + FIRST_REPORT_MS
  let isShown = false

  const announce = (line: string): void => {
    isShown = true
    output.write(isTerminal ? `${CLEAR_LINE}${line}` : `${line}\n`)
  }
  const report = (task: string, done: number, total: number): void => {
    const ms = now()
    if (ms < dueMs) return
    dueMs = ms + intervalMs
    announce(`${task}: ${Math.floor((done / total) * 100)}%`)
  }
  const end = (): void => {
    if (isShown && isTerminal) output.write(CLEAR_LINE)
    isShown = false
  }
  function* during<Item>(task: string, items: Iterable<Item>, total: number): Iterable<Item> {
    let done = 0
    for (const item of items) {
      report(task, done, total)
      yield item
      done += 1
    }
    end()
  }
  return { report, announce, end, during }
}

const STEPS = { reading: 'Reading', checking: 'Checking' } as const

/** Fixtures with fewer characters show no progress: even a busy machine parses them in well under a second. */
const MODEST_LENGTH = 100_000

export function lengthOf(files: FixtureFiles['files']): number {
  return files.reduce((sum, { text }) => sum + text.length, 0)
}

/**
 * Loads fixtures. Large ones report to `progress` while they are parsed, because 10 MB of YAML takes seconds.
 *
 * @throws FixtureError
 */
export async function openFixtures(
  paths: readonly string[],
  progress: CommandProgress,
): Promise<FixtureFiles> {
  return withProgress(await loadFixtures(...paths), progress)
}

/** Returns fixtures that report progress while they are parsed, if they are large. */
export function withProgress(
  { files }: Pick<FixtureFiles, 'files'>,
  progress: CommandProgress,
): FixtureFiles {
  if (lengthOf(files) < MODEST_LENGTH) return { files }
  return {
    files,
    onProgress: ({ file, step, done, total }) =>
      progress.report(`${STEPS[step]} ${withoutControls(file)}`, done, total),
  }
}
