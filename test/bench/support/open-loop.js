/** Load that does not wait: a request is sent when it is due, whatever became of those before it. */
import { Agent, get } from 'node:http'
import { setInterval as every } from 'node:timers/promises'

/**
 * Sends so many requests a second.
 *
 * @param targets What to ask for in turn: `{ url, token }`.
 * @returns `times`: milliseconds from when a request was due until its response had arrived, of each; `refused`: how many
 *   responses were not a 200.
 */
export async function sendSteadily(targets, { perSecond, seconds }) {
  const agent = new Agent({ keepAlive: true })
  const times = []
  const pending = []
  let refused = 0
  const start = performance.now()
  const total = perSecond * seconds
  const send = async (target, dueMs) => {
    const status = await ask(target, agent)
    times.push(performance.now() - dueMs)
    if (status !== 200) refused += 1
  }
  for await (const _ of every(1)) {
    const due = Math.min(total, Math.floor(((performance.now() - start) * perSecond) / 1000))
    while (pending.length < due) {
      const dueMs = start + (pending.length * 1000) / perSecond
      pending.push(send(targets[pending.length % targets.length], dueMs))
    }
    if (due === total) break
  }
  await Promise.all(pending)
  agent.destroy()
  return { times, refused }
}

function ask({ url, token }, agent) {
  return new Promise((resolve) => {
    const headers = { Authorization: `Bearer ${token}` }
    get(url, { agent, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    }).on('error', () => resolve(undefined))
  })
}
