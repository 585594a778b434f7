import type { IncomingMessage } from 'node:http'
import { readFile } from 'node:fs/promises'
import { Agent, request } from 'node:https'
import { text as readText } from 'node:stream/consumers'
import { startHostingHaproxy } from './hosting-haproxy.js'
import type { HostingOptions } from './hosting-haproxy.js'
import type { Answer, Message } from './replica.ts'

/** HAProxy with the configuration of docs/hosting, and a certificate of its own. */
export interface HostingProxy extends AsyncDisposable {
  /** The URL with https. */
  url: string
  /** The URL of the address that only redirects. */
  insecureUrl: string
  /** File of the certificate, as that of an authority. */
  caFile: string
  /** Its output on standard error, such as notices about its servers. */
  notices: readonly string[]
  /** Sends it a request. @throws if the connection ends without an answer. */
  ask: (url: string, message?: Message) => Promise<Answer>
  /** Same as `ask`, but undefined if the connection ends without an answer. */
  tryToAsk: (url: string, message?: Message) => Promise<Answer | undefined>
}

export async function startHostingProxy(
  ports: readonly number[],
  options?: HostingOptions,
): Promise<HostingProxy> {
  const { url, insecureUrl, caFile, notices, stop } = await startHostingHaproxy(ports, options)
  const agent = new Agent({ keepAlive: true, ca: await readFile(caFile) })
  return {
    url,
    insecureUrl,
    caFile,
    notices,
    ask: (target, message) => askBy(agent, target, message),
    tryToAsk: (target, message) =>
      askBy(agent, target, message).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNRESET' || error.code === 'ECONNREFUSED') return undefined
        throw error
      }),
    async [Symbol.asyncDispose]() {
      agent.destroy()
      await stop()
    },
  }
}

async function askBy(agent: Agent, url: string, message: Message = {}): Promise<Answer> {
  const { token, body, headers, method = body === undefined ? 'GET' : 'POST' } = message
  const sent = { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) }
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { method, headers: sent, agent })
      .once('response', resolve)
      .once('error', reject)
      .end(body === undefined ? undefined : JSON.stringify(body))
  })
  const text = await readText(response)
  return {
    status: response.statusCode ?? 0,
    headers: new Headers(response.headers as Record<string, string>),
    text,
    get body() {
      return JSON.parse(text)
    },
  }
}
