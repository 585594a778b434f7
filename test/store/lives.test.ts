import { randomUUID } from 'node:crypto'
import { setInterval as every } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createRandom } from '../../src/records/random.ts'
import { isFullDepth } from '../support/depth.ts'
import { control, expectTruth, listRequests, startBalancedCluster } from './support/cluster.ts'
import type { StoredWorld } from './support/cluster.ts'
import { expectNothingElse, largeFixtures, readAll } from './support/contents.ts'
import { numbersOf } from './support/load.ts'
import { tryToAsk } from './support/replica.ts'

/**
 * Worlds that are created and dropped while servers are killed, by requests, commands, drops and invitations in any order.
 * `PROPERTY_DEPTH=1 npm run test:store` has the full counts.
 */

const STEPS = isFullDepth ? 10_000 : 2000
const WORLDS = isFullDepth ? 50 : 10
const SENDERS = 24
const KILL_EVERY_MS = 2000

const PATHS = [
  '/me',
  '/projects',
  '/projects/101',
  '/projects/101/reports/latest',
  '/projects/104/reports',
  '/projects/999',
  '/nowhere',
]

const LOADED = ['A', 'B', 'C', 'D', 'E'].map((label) => largeFixtures(label, 30))

const COMMANDS = [
  { type: 'reset' },
  { type: 'clock.advance', by: 'PT1M' },
  { type: 'journal.clear' },
  { type: 'record.patch', collection: 'projects', id: 101, patch: { name: 'Renamed' } },
  { type: 'policy.set', policies: { 'rate-window': 'sliding' } },
  { type: 'fault.add', fault: { kind: 'status', status: 504, schedule: { every: 7 } } },
  { type: 'fault.set', faults: [] },
  { type: 'report.complete', report: 510104 },
  { type: 'scenario.load', scenario: 'empty-agency' },
  ...LOADED.map((fixtures) => ({ type: 'fixtures.load', fixtures })),
]

interface Sent {
  sent: number
  answered: number
}

interface LivingWorld extends StoredWorld {
  route: 'worlds' | 'partners'
  /** Numbers of sent requests and commands, and of answered ones, each of which the log has had once. */
  requests: Sent
  commands: Sent
}

test('while worlds come and go and servers are killed, no request or command is lost or counted twice, and Redis holds what is left of them, and nothing else', async () => {
  await using cluster = await startBalancedCluster({ replicas: 3, redis: { hasClock: true } })
  const { redis, replicas, haproxy } = cluster
  const send = (path: string, message: object = {}) => tryToAsk(haproxy.url + path, message)
  const living = new Map<string, LivingWorld>()
  const statuses = new Map<number | undefined, number>()
  const begin = async (
    route: LivingWorld['route'],
    settings: object,
  ): Promise<number | undefined> => {
    const body = { ...settings, ...(route === 'partners' && { name: `Partner ${randomUUID()}` }) }
    const created = await send(`/_sandbox/${route}`, { body })
    if (created?.status === 201)
      living.set(created.body.id, {
        ...(created.body as StoredWorld),
        route,
        requests: { sent: 0, answered: 0 },
        commands: { sent: 0, answered: 0 },
      })
    return created?.status
  }
  for (let count = 0; count < WORLDS; count += 1)
    expect(await begin(count % 2 === 0 ? 'worlds' : 'partners', {})).toBe(201)
  const snapshots = [(await send('/_sandbox/snapshots'))!.body]
  let left = STEPS
  /** Sends a message that becomes an entry of a world's log. */
  const sendTo = async (
    counted: Sent,
    path: string,
    message: object,
  ): Promise<number | undefined> => {
    counted.sent += 1
    const status = (await send(path, message))?.status
    if (status === 200 || status === 429) counted.answered += 1
    return status
  }

  const step = async (
    random: ReturnType<typeof createRandom>,
    number: number,
  ): Promise<number | undefined> => {
    const world = random.pick([...living.values()])
    if (random.chance(0.75)) {
      const token = random.pick(Object.values(world.tokens))
      return sendTo(world.requests, `/api/v1${random.pick(PATHS)}?n=${number}`, { token })
    }
    if (random.chance(0.1)) {
      const fixtures = random.chance(0.5) ? { fixtures: random.pick(LOADED) } : {}
      return begin(random.pick(['worlds', 'partners'] as const), fixtures)
    }
    if (random.chance(0.1) && living.size > 10) {
      living.delete(world.id)
      return (await send(`/_sandbox/${world.route}/${world.id}`, { method: 'DELETE' }))?.status
    }
    if (random.chance(0.05)) {
      const taken = await send(control(world, '/snapshots'))
      if (taken?.status === 200) snapshots[Math.floor(random.next() * 5)] = taken.body
      return taken?.status
    }
    const snapshot = random.pick(snapshots.filter(Boolean))
    const restore = { type: 'snapshot.restore', snapshot }
    const body = random.chance(0.1) ? restore : random.pick(COMMANDS)
    return sendTo(world.commands, control(world, '/commands'), { body })
  }
  const sendAll = async (_: unknown, sender: number): Promise<void> => {
    const random = createRandom('lives', sender)
    while (left > 0) {
      left -= 1
      const status = await step(random, left)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  let kills = 0
  const kill = async (): Promise<void> => {
    for await (const _ of every(KILL_EVERY_MS)) {
      if (left <= 0) return
      const replica = replicas[kills % 3]!
      kills += 1
      await replica.kill()
      await replica.start()
    }
  }
  await Promise.all([kill(), ...Array.from({ length: SENDERS }, sendAll)])
  const counted = JSON.stringify([...statuses])
  expect(statuses.get(500), counted).toBeUndefined()
  expect(statuses.get(200), counted).toBeGreaterThan(STEPS / 5)

  for (const world of living.values()) {
    // A world that several servers were loading when they were killed is no longer loaded without this request.
    await send(`/_sandbox/worlds/${world.id}/load`, { method: 'POST' })
    await expectTruth(replicas, world)
    const key = `seo-sandbox:{${world.id}}:world`
    const counts: string[] = await redis.command('HMGET', key, 'position', 'requests')
    const [entries = NaN, requests = NaN] = counts.map(Number)
    expect(requests, world.id).toBeGreaterThanOrEqual(world.requests.answered)
    expect(requests, world.id).toBeLessThanOrEqual(world.requests.sent)
    // The end of a response may be an entry too.
    expect(entries - requests, world.id).toBeGreaterThanOrEqual(world.commands.answered)
    expect(entries - requests, world.id).toBeLessThanOrEqual(world.commands.sent + requests)
    const numbers = numbersOf(await listRequests(replicas[0]!, world))
    expect(new Set(numbers).size).toBe(numbers.length)
  }
  // Texts without their entries are kept for a minute.
  await redis.setClock(61)
  await expect.poll(() => redis.command('EXISTS', 'seo-sandbox:puts')).toBe(0)
  for (const replica of replicas) expect(await replica.stop()).toBe(0)
  const worlds = expectNothingElse(await readAll(redis))
  expect(worlds).toEqual(expect.arrayContaining([...living.keys()]))
}, 1_200_000)
