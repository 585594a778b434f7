/**
 * A process of hostile partners: `node attack-process.js JSON` with the URL of the host, its certificate, the partners, the
 * number of seconds, and the only attack if not all. Each attack has an address of its own. Prints the statuses of each,
 * and the forbidden ones.
 */
import { setMaxListeners } from 'node:events'
import { readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { ATTACKS } from './attacks.js'
import { createSender } from './create-sender.js'

/** The address of the first attack, after that of the partners within their limits. */
const FIRST_ADDRESS = 2

const { url, caFile, partners, seconds, only } = JSON.parse(process.argv[2])
const ca = await readFile(caFile)
const statuses = {}
const wrong = []
const ending = new AbortController()
const { signal } = ending
setMaxListeners(0, signal)
const senders = []

/** Repeats an attack, whatever the host answers. */
async function attack([name, start], partner, address) {
  const sender = createSender({ url, ca, address })
  senders.push(sender)
  const counted = (statuses[name] ??= {})
  const send = async (path, message) => {
    const { status, text } = await sender.send(path, message)
    if (signal.aborted) return { status, text }
    counted[status] = (counted[status] ?? 0) + 1
    if (status >= 500 && status !== 503) {
      wrong.push(`${name}: ${path} gives ${status}: ${text.slice(0, 200)}`)
    }
    return { status, text }
  }
  const step = await start({ partner, send, signal })
  while (!signal.aborted) await step()
}

const attacks = Object.entries(ATTACKS).filter(([name]) => only === undefined || name === only)
const work = attacks.map((each, at) =>
  attack(each, partners[at % partners.length], FIRST_ADDRESS + at),
)
await Promise.race([wait(seconds * 1000), Promise.all(work)])
ending.abort()
// Ends the requests that still wait for an answer.
for (const sender of senders) sender.end()
process.stdout.write(JSON.stringify({ statuses, wrong }), () => process.exit())
