/** A client of the corpus for Node: see README.md. */
import { Agent, get as getHttp } from 'node:http'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'

const { env } = process
const { SEO_SANDBOX_URL: url, CLIENT_HEADERS = '', CLIENT_LIBRARY: library, CLIENT_RETRY } = env
const headers = Object.fromEntries(CLIENT_HEADERS.split('\n').map((line) => line.split(': ')))
const TIMEOUT_MS = 10_000

/** Sends a request with `node:http`. @param {string} target @param {Agent} agent */
function sendHttp(target, agent) {
  return new Promise((resolve, reject) => {
    const request = getHttp(target, { headers, agent, timeout: TIMEOUT_MS }, (response) => {
      const pieces = []
      response.on('data', (piece) => pieces.push(piece)).on('error', reject)
      response.on('end', () => {
        const retryAfter = response.headers['retry-after']
        resolve({ status: response.statusCode, retryAfter, text: Buffer.concat(pieces).toString() })
      })
    })
    request.on('error', reject)
  })
}

const agents = { close: new Agent(), 'keep-alive': new Agent({ keepAlive: true }) }

/** Functions that send a request, by library. */
const LIBRARIES = {
  fetch: async (target) => {
    const response = await fetch(target, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
    const retryAfter = response.headers.get('retry-after')
    return { status: response.status, retryAfter, text: await response.text() }
  },
  http: (target) => sendHttp(target, agents.close),
  'http-keep-alive': (target) => sendHttp(target, agents['keep-alive']),
  axios: async (target) => {
    const { default: axios } = await import('axios')
    const options = { headers, responseType: 'text', validateStatus: () => true }
    const { status, data, headers: received } = await axios.get(target, options)
    return { status, retryAfter: received['retry-after'], text: data }
  },
  got: async (target) => {
    const { got } = await import('got')
    const options = { headers, throwHttpErrors: false, retry: { limit: 0 } }
    const { statusCode, body, headers: received } = await got(target, options)
    return { status: statusCode, retryAfter: received['retry-after'], text: body }
  },
  ky: async (target) => {
    const { default: ky } = await import('ky')
    const response = await ky(target, { headers, throwHttpErrors: false, retry: 0 })
    const retryAfter = response.headers.get('retry-after')
    return { status: response.status, retryAfter, text: await response.text() }
  },
}

/** Sends a request; status 0 if there is no response that can be read. */
async function send(path) {
  try {
    const { status, retryAfter, text } = await LIBRARIES[library](url + path)
    return { status, retryAfter, body: status === 200 ? JSON.parse(text) : undefined }
  } catch {
    return { status: 0 }
  }
}

/** Reads a path as CLIENT_RETRY says; undefined if there is nothing to read. */
async function read(path) {
  for (let attempt = 1; attempt <= 8; attempt += 1) {
    const { status, retryAfter, body } = await send(path)
    if (body !== undefined || CLIENT_RETRY === 'none') return body
    const isStubborn = CLIENT_RETRY === 'stubborn'
    if ((status === 401 || status === 403) && !isStubborn) process.exit(1)
    const mayHelp = status === 0 || status === 408 || status === 429 || status >= 500
    if (!mayHelp && !isStubborn) return undefined
    const seconds = pauseAfter(attempt, retryAfter)
    // The client leaves a longer wait to another day.
    if (seconds > 5) process.exit(1)
    await sleep(seconds * 1000)
  }
  return undefined
}

function pauseAfter(attempt, retryAfter) {
  if (CLIENT_RETRY === 'flat' || CLIENT_RETRY === 'stubborn') return 0.3
  const isTold = retryAfter !== undefined && retryAfter !== null && CLIENT_RETRY !== 'impatient'
  return isTold ? Number(retryAfter) : 0.3 * 3 ** (attempt - 1) * (1 + Math.random() / 2)
}

async function step(word) {
  if (word.startsWith('sleep:')) return sleep(Number(word.slice(6)) * 1000)
  if (!word.startsWith('next:')) return read(word)
  for (let path = word.slice(5); path;) path = (await read(path))?.links.next
}

const words = process.argv.slice(2)
const work = async () => {
  for (let word = words.shift(); word !== undefined; word = words.shift()) await step(word)
}
await Promise.all(Array.from({ length: Number(env.CLIENT_WORKERS) }, work))
process.exit(0)
