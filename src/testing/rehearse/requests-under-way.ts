import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { heldResponses, lastHeldResponse } from '../../sandbox/delivery.ts'

type Listener = (message: unknown) => void

/** Requests of this process that have been sent and whose response is not complete, of whatever HTTP client. */
export class RequestsUnderWay {
  /** With the number of the last response that was held back when each began. */
  readonly #open = new Map<unknown, number>()
  /** How many there were so far: it grows with each. */
  begun = 0
  readonly #listeners: Record<string, Listener> = {
    'undici:request:create': (message) => this.#begin(requestOf(message)),
    'undici:request:trailers': (message) => this.#end(requestOf(message)),
    'undici:request:error': (message) => this.#end(requestOf(message)),
    'http.client.request.start': (message) => {
      const request = requestOf(message)
      this.#begin(request)
      request.once('close', () => this.#end(request))
    },
  }

  start(): void {
    for (const [name, listener] of Object.entries(this.#listeners)) subscribe(name, listener)
  }

  stop(): void {
    for (const [name, listener] of Object.entries(this.#listeners)) unsubscribe(name, listener)
    this.#open.clear()
  }

  /** Whether the sandbox holds back none of them, and so the next thing to happen is that it goes on. */
  get areMoving(): boolean {
    const [earliest] = this.#open.values()
    if (earliest === undefined) return false
    // Those that were held before are of clients that have given up.
    const held = [...heldResponses()].filter(({ number }) => number > earliest)
    return this.#open.size > held.length
  }

  #begin(request: unknown): void {
    this.begun += 1
    this.#open.set(request, lastHeldResponse())
  }

  #end(request: unknown): void {
    this.#open.delete(request)
  }
}

interface HttpRequest {
  once: (event: 'close', listener: () => void) => void
}

function requestOf(message: unknown): HttpRequest {
  return (message as { request: HttpRequest }).request
}
