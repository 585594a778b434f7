import { spawnSync } from 'node:child_process'
import { CLIENT_CORE, run } from './processes.js'

/** Load over HTTP by wrk, which keeps up with servers that write ready buffers. */

export const CONNECTIONS = 32

/** Why nothing can be loaded here; undefined where it can. */
export function whyNoLoad() {
  const { error } = spawnSync('wrk', ['--version'])
  return error && 'It needs wrk: apt-get install wrk, or brew install wrk.'
}

/**
 * Asks a server for so many seconds, which may be a fraction: wrk counts whole ones, and says what it has
 * when it is interrupted.
 *
 * @returns requests answered, requests a second, and p50 and p99 in milliseconds.
 * @throws where a connection fails, or an answer has a class of status that is not expected.
 */
export async function load(url, { seconds = 1, headers = {}, isError = false } = {}) {
  const shown = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const settings = ['-t1', `-c${CONNECTIONS}`, `-d${Math.ceil(seconds)}s`, '--latency']
  const endAfterMs = Number.isInteger(seconds) ? undefined : seconds * 1000
  const text = await run(CLIENT_CORE, 'wrk', [...settings, ...shown, url], { endAfterMs })
  const figure = (pattern) => pattern.exec(text)?.[1]
  const requests = Number(figure(/(\d+) requests in/))
  const errors = Number(figure(/Non-2xx or 3xx responses: (\d+)/) ?? 0)
  if (/Socket errors/.test(text) || errors !== (isError ? requests : 0) || requests === 0) {
    throw new Error(`${url} is not answered as it should be:\n${text}`)
  }
  return {
    requests,
    perSecond: Number(figure(/Requests\/sec: +([\d.]+)/)),
    p50Ms: toMs(figure(/ 50% +(\S+)/)),
    p99Ms: toMs(figure(/ 99% +(\S+)/)),
  }
}

const UNITS_MS = { us: 0.001, ms: 1, s: 1000, m: 60_000 }

function toMs(text) {
  const [, number, unit] = /^([\d.]+)(\D+)$/.exec(text)
  return Number(number) * UNITS_MS[unit]
}
