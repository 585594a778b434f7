/** Load that does not wait: a request is sent when it is due, regardless of earlier ones. */
import { Agent, get } from 'node:http'
import { setInterval as every } from 'node:timers/promises'

/**
 * Sends so many requests a second.
 *
 * @param targets Requests to send in turn: `{ url, token }`, and optionally `expected`, a text in the body.
 * @returns `times`: milliseconds from when each request was due until its response had arrived; `refused`: number of
 * responses that were not a 200; `wrong`: number of all others without the text.
 */
export async function sendSteadily(targets, { perSecond, seconds }) {
  const agent = new Agent({ keepAlive: true })
  const times = []
  const pending = []
  let [refused, wrong] = [0, 0]
  const start = performance.now()
  const total = perSecond * seconds
  const send = async (target, dueMs) => {
    const { status, isRight } = await ask(target, agent)
    times.push(performance.now() - dueMs)
    if (status !== 200) refused += 1
    else if (!isRight) wrong += 1
  }
  for await (const _ of every(1)) {
    const periods = Math.floor(((performance.now() - start) * perSecond) / 1000)
    // The first request is due at once.
    const due = Math.min(total, periods + 1)
    while (pending.length < due) {
      const dueMs = start + (pending.length * 1000) / perSecond
      pending.push(send(targets[pending.length % targets.length], dueMs))
    }
    if (due === total) break
  }
  await Promise.all(pending)
  agent.destroy()
  return { times, refused, wrong }
}

function ask({ url, token, expected }, agent) {
  return new Promise((resolve) => {
    const headers = { Authorization: `Bearer ${token}` }
    get(url, { agent, headers }, (response) => {
      const pieces = []
      if (expected === undefined) response.resume()
      else response.on('data', (piece) => pieces.push(piece))
      response
        .on('end', () => {
          const isRight = expected === undefined || Buffer.concat(pieces).includes(expected)
          resolve({ status: response.statusCode, isRight })
        })
        .on('error', () => resolve({}))
    }).on('error', () => resolve({}))
  })
}
