import { setInterval as every } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createRandom } from '../../src/records/random.ts'
import { isFullDepth } from '../support/depth.ts'
import {
  control,
  createWorld,
  expectAgreement,
  expectTruth,
  listRequests,
  startCluster,
} from './support/cluster.ts'
import type { Cluster, StoredWorld } from './support/cluster.ts'
import { numbersOf } from './support/load.ts'
import { tryToAsk } from './support/replica.ts'

/**
 * Rate limits and sessions over three replicas behind a proxy without stickiness. `PROPERTY_DEPTH=1 npm run test:store` has the
 * full counts.
 */

const RUNS = isFullDepth ? 200 : 10
const LIMIT = 60

/** Sends one request more than the limit at once; the status of each, by its number. */
async function askAtOnce(
  { haproxy }: Cluster,
  { tokens }: StoredWorld,
): Promise<(number | undefined)[]> {
  const token = tokens['sandbox-agency']!
  return Promise.all(
    Array.from({ length: LIMIT + 1 }, async (_, n) => {
      const answer = await tryToAsk(`${haproxy.url}/api/v1/me?n=${n}`, { token })
      return answer?.status
    }),
  )
}

test('of 61 requests at once, exactly 60 pass', async () => {
  await using cluster = await startCluster({ replicas: 3 })
  for (let run = 0; run < RUNS; run += 1) {
    const world = await createWorld(cluster.haproxy)
    const statuses = await askAtOnce(cluster, world)
    expect(statuses.filter((status) => status === 200)).toHaveLength(LIMIT)
    expect(statuses.filter((status) => status === 429)).toHaveLength(1)
  }
}, 600_000)

test('of 61 requests at once while a replica is killed, never more than 60 pass, and the journal has them', async () => {
  await using cluster = await startCluster({ replicas: 3 })
  const { replicas, haproxy } = cluster
  for (let run = 0; run < RUNS; run += 1) {
    const killed = replicas[run % 3]!
    const world = await createWorld(haproxy)
    const [statuses] = await Promise.all([askAtOnce(cluster, world), killed.kill()])
    const passed = [...statuses.keys()].filter((n) => statuses[n] === 200)
    expect(passed.length).toBeLessThanOrEqual(LIMIT)

    const restarted = killed.start()
    const requests = await listRequests(replicas[(run + 1) % 3]!, world)
    const recorded = numbersOf(requests.filter(({ status }) => status === 200))
    expect(recorded).toHaveLength(Math.min(LIMIT, requests.length))
    expect(recorded).toEqual(expect.arrayContaining(passed))
    await restarted
    await expectAgreement(replicas, world)
  }
}, 600_000)

const WORLDS = isFullDepth ? 200 : 8
const STEPS = isFullDepth ? 100_000 : 3000
const SENDERS = 48
const KILL_EVERY_MS = 2000

const PATHS = [
  '/me',
  '/projects?per_page=5',
  '/projects/101',
  '/projects/101/reports/latest',
  '/projects/104/reports',
  '/projects/999',
  '/nowhere',
]

const COMMANDS = [
  { type: 'clock.advance', by: 'PT1M' },
  { type: 'record.patch', collection: 'projects', id: 101, patch: { name: 'Renamed' } },
  { type: 'policy.set', policies: { 'rate-window': 'sliding' } },
  { type: 'fault.add', fault: { kind: 'status', status: 504, schedule: { every: 7 } } },
  { type: 'fault.set', faults: [] },
  { type: 'report.complete', report: 510104 },
  { type: 'journal.clear' },
  { type: 'scenario.load', scenario: 'empty-agency' },
]

test('after requests, commands and resets while replicas are killed, all tell the same of every world, and it replays', async () => {
  await using cluster = await startCluster({ replicas: 3 })
  const { haproxy, replicas } = cluster
  const worlds = await Promise.all(Array.from({ length: WORLDS }, () => createWorld(haproxy)))
  const statuses = new Map<number | undefined, number>()
  let left = STEPS
  const send = async (_: unknown, sender: number) => {
    const random = createRandom('counts', sender)
    while (left > 0) {
      left -= 1
      const world = random.pick(worlds)
      const token = random.pick(Object.values(world.tokens))
      const { url } = haproxy
      const answer = await (random.chance(0.9)
        ? tryToAsk(`${url}/api/v1${random.pick(PATHS)}`, { token })
        : tryToAsk(url + control(world, '/commands'), {
            body: random.chance(0.2) ? { type: 'reset' } : random.pick(COMMANDS),
          }))
      statuses.set(answer?.status, (statuses.get(answer?.status) ?? 0) + 1)
    }
  }
  let kills = 0
  const kill = async () => {
    for await (const _ of every(KILL_EVERY_MS)) {
      if (left <= 0) return
      const replica = replicas[kills % 3]!
      kills += 1
      await replica.kill()
      await replica.start()
    }
  }
  await Promise.all([kill(), ...Array.from({ length: SENDERS }, send)])

  expect(kills).toBeGreaterThan(0)
  expect(statuses.get(500)).toBeUndefined()
  // One token of seven has no limit, and those that have one are soon used up.
  const counted = JSON.stringify([...statuses])
  expect(statuses.get(200), counted).toBeGreaterThan(STEPS / 5)
  for (const world of worlds) await expectTruth(replicas, world)
}, 1_200_000)
