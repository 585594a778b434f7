import { fetchOver } from '../../tab/page/port-fetch.ts'
import type { TabCalls, TabReply } from '../../tab/site.ts'
import { ApiError } from '../api/api-error.ts'

/** The worker of the page, which has the sandbox of its tab. */
export class TabThread {
  readonly #worker: Worker

  constructor(address: URL) {
    this.#worker = new Worker(address, { type: 'module' })
  }

  /** Asks it for something. @throws ApiError with a sentence to show. */
  async call<Name extends keyof TabCalls>(
    call: Name,
    asked: TabCalls[Name]['ask'],
  ): Promise<TabCalls[Name]['reply']> {
    const { port1: port, port2: other } = new MessageChannel()
    const reply = await new Promise<TabReply<Name>>((resolve) => {
      port.addEventListener('message', ({ data }: MessageEvent<TabReply<Name>>) => resolve(data))
      port.start()
      const refusal = 'The sandbox of this site could not be loaded. Reload the page.'
      this.#worker.addEventListener('error', () => resolve({ refusal }), { once: true })
      this.#worker.postMessage({ call, ...asked }, [other])
    })
    port.close()
    if ('value' in reply) return reply.value
    throw new ApiError(0, call, reply.refusal)
  }

  /** Like the global `fetch`, once the sandbox has started. */
  fetch(request: Request): Promise<Response> {
    return fetchOver(request, (port) => this.serve(port))
  }

  /** Has it respond to the request that comes through a port. */
  serve(port: MessagePort): void {
    this.#worker.postMessage(null, [port])
  }
}

/** The sandbox of the tab, and where its site is. */
export interface OpenTab {
  thread: TabThread
  id: string
  base: string
}
