import type { Worker } from 'node:worker_threads'
import { clearTimeout, setTimeout } from '../../contract/timers.ts'
import { startWorker } from './body-worker.ts'
import type { BodyCall, BodyReply } from './body-worker.ts'
import { toError } from './failure.ts'
import { BodyError } from '../../control-api/parse-body.ts'

/** How long the worker may take for one call. */
const CALL_MS = 60_000

/** How long it waits for the next body before it ends. */
const IDLE_MS = 10_000

/** Captured at import, so that fake timers of a test do not stop it. */
const now = performance.now.bind(performance)

interface Waiting {
  spend: (ms: number) => void
  resolve: (result: unknown) => void
  reject: (error: Error) => void
}

/** A worker that reads bodies. It ends on its own once there is nothing to read. */
export class BodyThread {
  readonly #worker: Worker
  /** The calls that have no reply yet; the worker is at the first one. */
  readonly #waiting: Waiting[] = []
  readonly #bodies = new Set<number>()
  #timer: NodeJS.Timeout | undefined
  /** Since when the worker is at the first call. */
  #sinceMs = 0
  #isAlive = true

  constructor() {
    this.#worker = startWorker()
    this.#worker.unref()
    this.#worker.on('message', (reply: BodyReply) => this.#settle(reply))
    this.#worker.on('error', (error: NodeJS.ErrnoException) => this.#end(toBodyError(error)))
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  /**
   * Asks the worker, and tells `spend` how long it took, without what came before.
   *
   * @throws BodyError, FixtureError, OptionError, CommandError
   */
  ask(call: BodyCall, spend: (ms: number) => void): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (!this.#isAlive) {
        reject(notRead())
        return
      }
      this.#bodies.add(call.body)
      this.#waiting.push({ resolve, reject, spend })
      // Its bytes are transferred: a copy would take as much memory again.
      this.#worker.postMessage(
        call,
        call.ask === 'parse' ? call.bytes.map(({ buffer }) => buffer) : [],
      )
      if (this.#waiting.length === 1) this.#watch()
    })
  }

  forget(body: number): void {
    if (!this.#isAlive) return
    void this.ask({ ask: 'forget', body }, () => undefined).catch(() => undefined)
    this.#bodies.delete(body)
  }

  #settle(reply: BodyReply): void {
    const call = this.#waiting.shift()
    call?.spend(now() - this.#sinceMs)
    this.#watch()
    if ('failure' in reply) call?.reject(toError(reply.failure))
    else call?.resolve(reply.result)
  }

  /** Ends the worker where a call takes too long, or none comes for a while. */
  #watch(): void {
    clearTimeout(this.#timer)
    if (this.#waiting.length > 0) {
      this.#sinceMs = now()
      this.#timer = setTimeout(() => this.#end(tooSlow()), CALL_MS)
    } else if (this.#bodies.size === 0) {
      this.#timer = setTimeout(() => this.#end(notRead()), IDLE_MS)
    }
    this.#timer?.unref()
  }

  #end(error: Error): void {
    this.#isAlive = false
    clearTimeout(this.#timer)
    void this.#worker.terminate()
    const [culprit, ...others] = this.#waiting.splice(0)
    culprit?.spend(now() - this.#sinceMs)
    culprit?.reject(error)
    for (const { reject } of others) reject(notRead())
  }
}

function toBodyError(error: NodeJS.ErrnoException): Error {
  if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') return error
  const message = 'Reading the body takes more memory than there is. Send less.'
  return new BodyError('insufficient_memory', message)
}

function tooSlow(): BodyError {
  const message = `Reading the body takes longer than ${CALL_MS / 1000} seconds. Send less.`
  return new BodyError('body_too_large', message)
}

function notRead(): BodyError {
  const message = 'The body was not read, because another one could not be. Send it again.'
  return new BodyError('body_not_read', message)
}
