import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { rootCertificates } from 'node:tls'
import { VERSION } from '../contract/version.ts'
import type { Received, Send } from './ask.ts'
import { headersToSend } from './question.ts'

const IDLE_TIMEOUT_MS = 60_000

const MAXIMUM_BODY_BYTES = 64 * 2 ** 20

const AGENT = { 'user-agent': `seo-sandbox/${VERSION} compare` }

interface SendOptions {
  baseUrl: URL
  token: string
  /** CA certificates to trust in addition to Node's own, as PEM. */
  ca?: string | undefined
}

/**
 * Creates a function `send` that sends requests over one connection, and a function `close` that closes the connection.
 * Redirects are not followed.
 */
export function createSend({ baseUrl, token, ca }: SendOptions): { send: Send; close: () => void } {
  const isSecure = baseUrl.protocol === 'https:'
  const settings = { keepAlive: true, maxSockets: 1 }
  const agent = isSecure
    ? new HttpsAgent({ ...settings, ...(ca && { ca: [...rootCertificates, ca] }) })
    : new HttpAgent(settings)
  const prefix = baseUrl.pathname.replace(/\/$/, '')
  const send: Send = (question) =>
    new Promise((resolve, reject) => {
      const sent = { ...AGENT, ...headersToSend(question, token) }
      const options = { agent, method: 'GET', headers: sent }
      const target = new URL(prefix + question.path, baseUrl)
      const request = (isSecure ? httpsRequest : httpRequest)(target, options, (response) => {
        const chunks: Buffer[] = []
        let size = 0
        response.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size > MAXIMUM_BODY_BYTES) request.destroy(new Error('The body is too large.'))
          else chunks.push(chunk)
        })
        response.on('error', reject)
        response.on('end', () => {
          const { statusCode: status = 0 } = response
          const headers = response.headers as Received['headers']
          resolve({ status, headers, body: Buffer.concat(chunks).toString() })
        })
      })
      request.setTimeout(IDLE_TIMEOUT_MS, () =>
        request.destroy(new Error('There was no response.')),
      )
      request.on('error', reject)
      request.end()
    })
  return { send, close: () => agent.destroy() }
}
