import { join } from 'node:path'
import { clocksBetween } from '../../journal/clocks-between.ts'
import { toDateTime } from '../../contract/moments.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { SessionRun } from '../../session/session.ts'
import { SessionSpool } from '../exec/session-spool.ts'

interface SessionsOptions {
  folder: string
  sandbox: Sandbox
  /** What each session says of its run, besides when it was. */
  about: Omit<SessionRun, 'clocks' | 'date'>
  /** Called where a session, or the rest of one, is not recorded. */
  onError: (error: unknown) => void
}

/** Records a session for each month of a rehearsal, which begins with the world as it was then. */
export class MonthlySessions {
  readonly #options: SessionsOptions
  #open:
    | { month: string; spool: SessionSpool; began: ReturnType<Sandbox['clock']['read']> }
    | undefined

  constructor(options: SessionsOptions) {
    this.#options = options
  }

  /** Called before a run. */
  async moveTo(atMs: number): Promise<void> {
    const month = toDateTime(atMs).slice(0, 7)
    if (month === this.#open?.month) return
    await this.end()
    const { sandbox, onError } = this.#options
    try {
      const spool = await SessionSpool.beginNow(sandbox.world, {
        onCut: (reason) => onError(new Error(reason)),
      })
      this.#open = { month, spool, began: sandbox.clock.read() }
    } catch (error) {
      onError(error)
    }
  }

  /** Writes the session of the current month. */
  async end(): Promise<void> {
    if (!this.#open) return
    const { month, spool, began } = this.#open
    this.#open = undefined
    const { folder, sandbox, about, onError } = this.#options
    spool.stop()
    const clocks = clocksBetween(began, sandbox.clock.read())
    const run: SessionRun = { ...about, date: toDateTime(Date.now()), clocks }
    try {
      const path = join(folder, `${month}.session.jsonl`)
      await spool.save(path, run)
    } catch (error) {
      onError(error)
    } finally {
      spool.close()
    }
  }
}
