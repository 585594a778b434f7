import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { control, countEntries, createWorld, startCluster } from './support/cluster.ts'
import { ADMIN_KEY, invite } from './support/partners.ts'
import type { StoredWorld } from './support/cluster.ts'
import type { Invited } from './support/partners.ts'
import { ask } from './support/replica.ts'
import type { Replica } from './support/replica.ts'
import { StoreError } from '../../src/store/store-error.ts'
import { WorkShares } from '../../src/store/work-shares.ts'

/** What each world has of a server: its share of the processor time, and its turn. */

function spin(ms: number): void {
  const start = process.cpuUsage()
  for (let usedMs = 0; usedMs < ms;) {
    const { user, system } = process.cpuUsage(start)
    usedMs = (user + system) / 1000
  }
}

function nextImmediate(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

/** A link to the page of a report of a generated world. */
async function linkOf({ url }: { url: string }, { tokens }: Pick<Invited, 'tokens'>) {
  const token = tokens['sandbox-unlimited']!
  const { body } = await ask(`${url}/api/v1/projects/1001/reports`, { token })
  const { web_link: link } = body.data.find((report: any) => report.web_link !== null)
  return link as string
}

describe('the share of a world', () => {
  test('is used up by what its work takes, and not by what comes while it waits', async () => {
    const work = new WorkShares(20)
    await work.run('a', async () => {
      await nextImmediate()
      await nextImmediate()
      spin(300)
    })
    work.requireShare('a')
    work.measure('a', () => spin(150))
    expect(() => work.requireShare('a')).toThrow(StoreError)
    work.requireShare('b')
  })

  test('is counted from pause to pause', async () => {
    const work = new WorkShares(20)
    await work.run('a', async () => {
      for (let count = 0; count < 4; count += 1) {
        await work.pauseOf('a')()
        spin(50)
      }
    })
    expect(() => work.requireShare('a')).toThrow(StoreError)
  })

  test('has no limit in the default world', () => {
    const work = new WorkShares(1)
    work.measure('default', () => spin(10))
    expect(() => work.requireShare('default')).not.toThrow()
  })
})

describe('turns', () => {
  test('go to one world after the other, and one at a time', async () => {
    const work = new WorkShares(200)
    const turns: string[] = []
    const all = ['a', 'a', 'a', 'b'].map(async (world) => {
      await work.pauseOf(world)()
      turns.push(world)
    })
    const known: number[] = []
    while (turns.length < all.length) {
      known.push(turns.length)
      await nextImmediate()
    }
    await Promise.all(all)
    expect(turns).toEqual(['a', 'b', 'a', 'a'])
    expect(known).toEqual(expect.arrayContaining([1, 2, 3]))
  })

  test('of one world come one after the other, and what comes when its share is used up is refused', async () => {
    const work = new WorkShares(15)
    const begun: number[] = []
    const job = (number: number) =>
      work.inTurn('a', async () => {
        begun.push(number)
        await nextImmediate()
        work.measure('a', () => spin(20))
        return number
      })
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map(job))
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ])
    expect(begun).toEqual([1, 2])
  })
})

test('whatever a world is asked beyond its share is a 429 of its host: the API, pages, its control API, and nothing of it is in the log', async () => {
  await using cluster = await startCluster({
    replicas: 1,
    args: ['--admin-key', ADMIN_KEY, '--limits=work=20'],
  })
  const [{ url }] = cluster.replicas as [Replica]
  const [busy, other] = [
    await invite({ url }, { name: 'A', demo: true }),
    await invite({ url }, { name: 'B' }),
  ]
  const api = ({ tokens }: Invited) =>
    ask(`${url}/api/v1/me`, { token: tokens['sandbox-unlimited']! })
  const controlled = (path: string, token: string, method = 'GET') =>
    ask(url + control({ id: busy.world }, path), { token, method })
  const link = await linkOf({ url }, busy)

  // What the operator asks counts too, and makes sure that the share stays used up.
  let refused = await api(busy)
  const reset = (token: string) => controlled('/reset', token, 'POST')
  while (refused.status !== 429) {
    expect((await reset(ADMIN_KEY)).status).toBe(200)
    refused = await api(busy)
  }
  for (let count = 0; count < 20; count += 1) await reset(ADMIN_KEY)
  expect(refused.headers.get('x-sandbox-limited')).toBe('host')
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(refused.body.message).toMatch(/20 ms of processor time a second .+ Send the request again/)

  const world = { id: busy.world }
  const entries = await countEntries(cluster, world)
  const answers = await Promise.all([
    api(busy),
    ask(link),
    controlled('/requests.har', busy.key),
    controlled('/session', busy.key),
    reset(busy.key),
  ])
  for (const { status, headers } of answers) {
    expect([status, headers.get('x-sandbox-limited')]).toEqual([429, 'host'])
  }
  expect(await countEntries(cluster, world)).toBe(entries)

  // The operator, others and the default world go on.
  expect((await controlled('/session', ADMIN_KEY)).status).toBe(200)
  expect((await reset(ADMIN_KEY)).status).toBe(200)
  expect((await api(other)).status).toBe(200)
})

test('of wrong links, an address has ten worlds loaded a minute', async () => {
  await using cluster = await startCluster()
  const [creator, reader] = cluster.replicas as [Replica, Replica]
  const worlds: StoredWorld[] = []
  for (let count = 0; count < 13; count += 1)
    worlds.push(await createWorld(creator, { demo: true }))
  const pathOf = async (...of: Parameters<typeof linkOf>) => new URL(await linkOf(...of)).pathname
  const [held, unheld, ...others] = worlds as [StoredWorld, StoredWorld, ...StoredWorld[]]
  const [right, alsoRight] = [await pathOf(reader, held), await pathOf(creator, unheld)]
  const open = (path: string) => ask(reader.url + path)
  const wrong = `9-${'A'.repeat(22)}`
  for (const { id } of others.slice(0, 10)) {
    expect((await open(`/reports/${id}/${wrong}`)).status).toBe(404)
  }
  const { status, headers, text } = await open(`/reports/${others[10]!.id}/${wrong}`)
  expect([status, headers.get('x-sandbox-limited')]).toEqual([429, 'host'])
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  expect(text).toMatch(/Too many wrong links/)
  expect((await open(`/reports/nowhere/${wrong}`)).status).toBe(429)
  expect((await open(alsoRight)).status).toBe(429)
  // What it has in memory is not loaded.
  expect([(await open(right)).status, (await open(`/reports/${held.id}/${wrong}`)).status]).toEqual(
    [200, 404],
  )
  const { body } = await ask(`${reader.url}/_sandbox/health`)
  expect(body.worlds).toBeLessThanOrEqual(12)
})

const LARGE = JSON.stringify(Array.from({ length: 100_000 }, () => 'a'))

test.for<[what: string, status: number, body: string | Buffer, encoding: string]>([
  ['read', 422, LARGE, 'identity'],
  ['unpacked', 413, gzipSync(Buffer.alloc(50e6)), 'gzip'],
])(
  'what is %s of the bodies of a world counts, although another thread does it',
  async ([, status, body, encoding], { expect: expectHere }) => {
    await using cluster = await startCluster({
      replicas: 1,
      args: ['--admin-key', ADMIN_KEY, '--limits=work=20'],
    })
    const [replica] = cluster.replicas as [Replica]
    const { key } = await invite(replica, { name: 'A' })
    const headers = { authorization: `Bearer ${key}`, 'content-encoding': encoding }
    const statuses: number[] = []
    while (statuses.at(-1) !== 429 && statuses.length < 50) {
      const sent = await fetch(`${replica.url}/_sandbox/snapshots`, {
        method: 'POST',
        headers,
        body,
      })
      await sent.arrayBuffer()
      statuses.push(sent.status)
    }
    expectHere([statuses[0], statuses.at(-1)]).toEqual([status, 429])
  },
)
