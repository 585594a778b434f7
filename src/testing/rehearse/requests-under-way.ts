import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'
import type { Socket } from 'node:net'
import timers from 'node:timers'
import { heldResponses, lastHeldResponse } from '../../sandbox/delivery.ts'

interface OpenRequest {
  /** Number of the last response that was held back before the request began. */
  heldBefore: number
  /** True once the head of the response has arrived. Its body may never be read. */
  hasHead: boolean
}

type Listener = (message: unknown) => void

/** The requests of this process whose response is not complete, for any HTTP client. */
export class RequestsUnderWay {
  readonly #open = new Map<unknown, OpenRequest>()
  /** Number of responses of the sandbox that wait for a turn of the event loop. */
  #waiting = 0
  #events = 0
  readonly #listeners: Record<string, Listener> = {
    'undici:request:create': (message) => this.#begin(requestOf(message)),
    'undici:request:headers': (message) => this.#noteHead(requestOf(message)),
    'undici:request:trailers': (message) => this.#end(requestOf(message)),
    'undici:request:error': (message) => this.#end(requestOf(message)),
    'http.client.request.start': (message) => {
      const request = requestOf(message) as ClientRequest
      this.#begin(request)
      const stop = limitTime(request)
      request.once('response', () => this.#noteHead(request))
      request.once('close', () => {
        stop()
        this.#end(request)
      })
    },
  }

  start(): void {
    for (const [name, listener] of Object.entries(this.#listeners)) subscribe(name, listener)
  }

  stop(): void {
    for (const [name, listener] of Object.entries(this.#listeners)) unsubscribe(name, listener)
    this.#open.clear()
  }

  dropAll(): void {
    this.#open.clear()
  }

  /** At the end of a run, drops responses whose body was never read. */
  dropUnread(): void {
    for (const [request, { hasHead }] of this.#open) if (hasHead) this.#open.delete(request)
  }

  get events(): number {
    return this.#events
  }

  /** Delays a response for a turn of the event loop, so that all other pending work runs first. */
  async yieldTurn(): Promise<void> {
    this.#waiting += 1
    await nextTick()
    this.#waiting -= 1
  }

  /** True if the head of a response is still to come. A response that the sandbox holds back does not count. */
  get hasPendingHead(): boolean {
    if (this.#waiting > 0) return true
    const open = [...this.#open.values()].filter(({ hasHead }) => !hasHead)
    const [earliest] = open
    if (!earliest) return false
    // Responses that were held back before the earliest request belong to clients that have given up.
    const held = [...heldResponses()].filter(({ number }) => number > earliest.heldBefore)
    return open.length > held.length
  }

  /** True if the body of a response may still be arriving. Also true for a body that nobody reads. */
  get hasOpenBody(): boolean {
    return [...this.#open.values()].some(({ hasHead }) => hasHead)
  }

  #begin(request: unknown): void {
    this.#events += 1
    this.#open.set(request, { heldBefore: lastHeldResponse(), hasHead: false })
  }

  #noteHead(request: unknown): void {
    this.#events += 1
    const open = this.#open.get(request)
    if (open) open.hasHead = true
  }

  #end(request: unknown): void {
    this.#events += 1
    this.#open.delete(request)
  }
}

function requestOf(message: unknown): unknown {
  return (message as { request: unknown }).request
}

/**
 * Applies the time limit of a `node:http` request on the client's clock, in addition to the machine's. Returns a function that
 * clears its timer.
 */
function limitTime(request: ClientRequest): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const start = (ms: number | undefined): void => {
    if (ms !== undefined && ms > 0) timer ??= setTimeout(() => request.emit('timeout'), ms)
  }
  start((request as { timeout?: number }).timeout)
  const startBy = (socket: Socket): void => {
    // A time limit set while a socket connects takes effect only once it is connected.
    if (socket.connecting) socket.once('connect', () => start(socket.timeout))
    else start(socket.timeout)
  }
  if (request.socket) startBy(request.socket)
  else request.once('socket', startBy)
  return () => clearTimeout(timer)
}

/** Node's own function, because Jest's jsdom has no global one. Saved at import, because tests of users may replace it. */
const { setImmediate } = timers

/** Waits for a turn of the event loop, unlike `process.nextTick`. */
export function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
