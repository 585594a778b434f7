import type { TabFetch } from '../tab-fetch.ts'

/** Messages from `fetchOver` to `serveOver`. */
type FromClient =
  | {
      type: 'request'
      url: string
      method: string
      headers: [name: string, value: string][]
      body: ArrayBuffer | null
    }
  /** Asks for the next piece of the response body. */
  | { type: 'more' }
  | { type: 'cancel' }

/** Messages from `serveOver` to `fetchOver`. */
type FromTab =
  | {
      type: 'head'
      status: number
      statusText: string
      headers: [name: string, value: string][]
      hasBody: boolean
    }
  | { type: 'piece'; bytes: Uint8Array<ArrayBuffer> }
  | { type: 'end' }
  /** The connection broke, for example because of a fault. */
  | { type: 'broken'; message: string }

/**
 * Sends a request through one port of a new channel, and returns the response. `passPort` must pass the other port to `serveOver`
 * in the tab. Rejects if the connection breaks, or if the request is aborted.
 */
export async function fetchOver(
  request: Request,
  passPort: (port: MessagePort) => void,
): Promise<Response> {
  const { url, method, headers, signal } = request
  // Requests of these methods cannot have a body, not even an empty one.
  const bytes = ['GET', 'HEAD'].includes(method) ? undefined : await request.arrayBuffer()
  const body = bytes?.byteLength ? bytes : null
  signal.throwIfAborted()
  const { port1: port, port2: otherPort } = new MessageChannel()
  const send = (message: FromClient): void => port.postMessage(message)
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
  let reading: ReadableStreamDefaultController<Uint8Array> | undefined
  let asked: (() => void) | undefined
  // True after the response has ended or failed, or its reader has cancelled. Later messages are ignored.
  let isOver = false
  const fail = (error: unknown): void => {
    isOver = true
    reject(error)
    reading?.error(error)
    asked?.()
    port.close()
  }
  port.addEventListener('message', ({ data }: MessageEvent<FromTab>) => {
    if (isOver) return
    switch (data.type) {
      case 'head': {
        const { status, statusText, headers: ofResponse, hasBody } = data
        const init = { status, statusText, headers: ofResponse }
        const stream = new ReadableStream<Uint8Array>(
          {
            start: (controller) => void (reading = controller),
            pull: () => {
              send({ type: 'more' })
              return new Promise((next) => (asked = next))
            },
            cancel: () => {
              isOver = true
              send({ type: 'cancel' })
            },
          },
          { highWaterMark: 0 },
        )
        resolve(new Response(hasBody ? stream : null, init))
        break
      }
      case 'piece':
        reading?.enqueue(data.bytes)
        asked?.()
        break
      case 'end':
        isOver = true
        reading?.close()
        asked?.()
        port.close()
        break
      case 'broken':
        fail(new TypeError(data.message))
    }
  })
  port.start()
  signal.addEventListener('abort', () => {
    send({ type: 'cancel' })
    fail(signal.reason)
  })
  passPort(otherPort)
  send({ type: 'request', url, method, headers: [...headers], body })
  return promise
}

/** Responds to the request that arrives through a port. Each port is for a single request. */
export function serveOver(port: MessagePort, serve: TabFetch): void {
  const aborted = new AbortController()
  const send = (message: FromTab, transfer: Transferable[] = []): void =>
    port.postMessage(message, transfer)
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  const fail = (error: unknown): void => {
    send({ type: 'broken', message: error instanceof Error ? error.message : String(error) })
  }
  const begin = async ({ url, ...init }: FromClient & { type: 'request' }): Promise<void> => {
    const response = await serve(new Request(url, { ...init, signal: aborted.signal }))
    const { status, statusText, headers, body } = response
    reader = body?.getReader()
    send({ type: 'head', status, statusText, headers: [...headers], hasBody: body !== null })
    if (!body) send({ type: 'end' })
  }
  const sendMore = async (): Promise<void> => {
    const { done, value } = (await reader?.read()) ?? { done: true }
    if (done) send({ type: 'end' })
    // Copied, because the message would otherwise contain the whole underlying buffer.
    else send({ type: 'piece', bytes: new Uint8Array(value) })
  }
  port.addEventListener('message', ({ data }: MessageEvent<FromClient>) => {
    switch (data.type) {
      case 'request':
        begin(data).catch(fail)
        break
      case 'more':
        sendMore().catch(fail)
        break
      case 'cancel':
        aborted.abort()
        reader?.cancel().catch(() => undefined)
        port.close()
    }
  })
  port.start()
}
