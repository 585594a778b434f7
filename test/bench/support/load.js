import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { CLIENT_CORE, run } from './processes.js'

/** Load over HTTP by wrk, which keeps up with servers that write prepared buffers. */

export const CONNECTIONS = 32

/** The reason why no load can be generated here; undefined if it can. */
export function whyNoLoad() {
  const { error } = spawnSync('wrk', ['--version'])
  return error && 'It needs wrk: apt-get install wrk, or brew install wrk.'
}

/**
 * Loads a server for this many seconds, which may be a fraction: wrk accepts whole seconds only, but prints
 * its results when interrupted.
 *
 * @param script A file of `writeScript`, with the requests to send in place of those to `url`.
 * @returns completed requests, requests per second, and p50 and p99 in milliseconds.
 * @throws if a connection fails, or a response has an unexpected class of status.
 */
export async function load(url, { seconds = 1, headers = {}, isError = false, script } = {}) {
  const shown = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const settings = ['-t1', `-c${CONNECTIONS}`, `-d${Math.ceil(seconds)}s`, '--latency']
  if (script !== undefined) settings.push('-s', script)
  const endAfterMs = Number.isInteger(seconds) ? undefined : seconds * 1000
  const text = await run(CLIENT_CORE, 'wrk', [...settings, ...shown, url], { endAfterMs })
  const figure = (pattern) => pattern.exec(text)?.[1]
  const requests = Number(figure(/(\d+) requests in/))
  const errors = Number(figure(/Non-2xx or 3xx responses: (\d+)/) ?? 0)
  if (/Socket errors/.test(text) || errors !== (isError ? requests : 0) || requests === 0) {
    throw new Error(`${url} has failed connections or unexpected statuses:\n${text}`)
  }
  return {
    requests,
    perSecond: Number(figure(/Requests\/sec: +([\d.]+)/)),
    p50Ms: toMs(figure(/ 50% +(\S+)/)),
    p99Ms: toMs(figure(/ 99% +(\S+)/)),
  }
}

/** Writes a script that has wrk send these requests, `{ path, token }`, in turn, each after a pause. */
export async function writeScript(file, requests, { pauseMs = 0 } = {}) {
  const lines = requests.map(
    ({ path, token }) =>
      `requests[#requests + 1] = wrk.format('GET', '${path}', { Host = '127.0.0.1', Authorization = 'Bearer ${token}' })`,
  )
  const text = `local requests, sent = {}, 0
function init()
  ${lines.join('\n  ')}
end
function request()
  sent = sent + 1
  return requests[sent % #requests + 1]
end
${pauseMs > 0 ? PAUSE(pauseMs) : ''}`
  await writeFile(file, text)
}

// Not all at the same time.
const PAUSE = (ms) => `function delay()
  return math.random(${ms} * 2)
end
`

const UNITS_MS = { us: 0.001, ms: 1, s: 1000, m: 60_000 }

function toMs(text) {
  const [, number, unit] = /^([\d.]+)(\D+)$/.exec(text)
  return Number(number) * UNITS_MS[unit]
}
