import { spawnSync } from 'node:child_process'
import type { IncomingMessage } from 'node:http'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { fromRoot } from '../../support/cli.ts'
import { freePort } from '../../support/free-port.js'
import { runHaproxy } from './haproxy.js'
import type { Answer, Message } from './replica.ts'

/** HAProxy with the configuration of docs/hosting, and a certificate of its own. */
export interface HostingProxy extends AsyncDisposable {
  /** With https. */
  url: string
  /** Of the address that only redirects. */
  insecureUrl: string
  /** Asks it. @throws where the connection ends without an answer. */
  ask: (url: string, message?: Message) => Promise<Answer>
  /** The same; undefined where the connection ends without an answer. */
  tryToAsk: (url: string, message?: Message) => Promise<Answer | undefined>
}

export async function startHostingProxy([first, second]: readonly number[]): Promise<HostingProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'seo-sandbox-hosting-'))
  const [port, insecurePort] = [await freePort(), await freePort()]
  const { file, ca } = await createCertificate(folder)
  const haproxy = await runHaproxy(fromRoot('docs/hosting/haproxy.cfg'), port, {
    CERTIFICATE: file,
    HTTPS_ADDRESS: `127.0.0.1:${port}`,
    HTTP_ADDRESS: `127.0.0.1:${insecurePort}`,
    REPLICA_1: `127.0.0.1:${first}`,
    REPLICA_2: `127.0.0.1:${second}`,
  })
  const agent = new Agent({ keepAlive: true, ca })
  return {
    url: `https://127.0.0.1:${port}`,
    insecureUrl: `http://127.0.0.1:${insecurePort}`,
    ask: (url, message) => askBy(agent, url, message),
    tryToAsk: (url, message) =>
      askBy(agent, url, message).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNRESET' || error.code === 'ECONNREFUSED') return undefined
        throw error
      }),
    async [Symbol.asyncDispose]() {
      agent.destroy()
      await haproxy.stop()
      await rm(folder, { recursive: true })
    },
  }
}

/** A certificate for 127.0.0.1, signed by itself. */
async function createCertificate(folder: string): Promise<{ file: string; ca: string }> {
  const [keyFile, caFile, file] = ['key', 'ca', 'certificate'].map((name) =>
    join(folder, `${name}.pem`),
  ) as [string, string, string]
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...subject]
  const { status, stderr } = spawnSync('openssl', [...args, '-keyout', keyFile, '-out', caFile])
  if (status !== 0) throw new Error(`openssl has ended with ${status}: ${String(stderr)}`)
  const ca = await readFile(caFile, 'utf8')
  await writeFile(file, ca + (await readFile(keyFile, 'utf8')))
  return { file, ca }
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
