import { expect, test } from 'vitest'
import { control, countEntries, createWorld, startCluster } from './support/cluster.ts'
import { ADMIN_KEY, invite } from './support/partners.ts'
import type { StoredWorld } from './support/cluster.ts'
import type { Invited } from './support/partners.ts'
import { ask } from './support/replica.ts'
import type { Replica } from './support/replica.ts'

/** The rates of each world with a key: expensive requests a minute, and others a second (docs/hosting/README.md, limits). */

/** Finds a link to the page of a report of a generated world. */
async function linkOf({ url }: { url: string }, { tokens }: Pick<Invited, 'tokens'>) {
  const token = tokens['sandbox-unlimited']!
  const { body } = await ask(`${url}/api/v1/projects/1001/reports`, { token })
  const { web_link: link } = body.data.find((report: any) => report.web_link !== null)
  return link as string
}

const EXPENSIVE: [method: string, path: string, body?: object][] = [
  ['GET', '/requests.har'],
  ['GET', '/session'],
  ['GET', '/snapshots'],
  ['POST', '/reset'],
  ['POST', '/clock', { advance: 'PT1S' }],
  ['POST', '/commands', { type: 'clock.advance', by: 'PT1S' }],
  ['POST', '/commands', { type: 'fixtures.load', fixtures: { version: 1 } }],
  ['POST', '/scenarios', { scenario: 'empty-agency' }],
  ['DELETE', '/records/projects/1001'],
]

const CHEAP: typeof EXPENSIVE = [
  ['GET', '/clock'],
  ['POST', '/clock', { frozen: true }],
  ['PATCH', '/records/projects/1001', { name: 'Boots' }],
  ['GET', '/requests'],
  ['GET', '/review'],
]

test('an expensive request beyond the burst of its world is a 429 of the host, and is not in the log', async () => {
  await using cluster = await startCluster({
    replicas: 1,
    args: ['--admin-key', ADMIN_KEY, '--limits=costly=1'],
  })
  const [{ url }] = cluster.replicas as [Replica]
  const [busy, other] = [
    await invite({ url }, { name: 'A', demo: true }),
    await invite({ url }, { name: 'B' }),
  ]
  const send = ([method, path, body]: (typeof EXPENSIVE)[number], token: string, of = busy) =>
    ask(url + control({ id: of.world }, path), { method, token, ...(body && { body }) })
  const link = await linkOf({ url }, busy)
  const pdf = `${link}.pdf`

  for (const one of [
    ['GET', '/session'],
    ['POST', '/reset'],
  ] as typeof EXPENSIVE) {
    expect((await send(one, busy.key)).status).toBe(200)
  }
  for (let count = 0; count < 2; count += 1) expect((await ask(pdf)).status).toBe(200)
  const entries = await countEntries(cluster, { id: busy.world })
  for (const one of EXPENSIVE) {
    const { status, headers, body } = await send(one, busy.key)
    expect([one, status, headers.get('x-sandbox-limited')]).toEqual([one, 429, 'host'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(body.error).toMatchObject({ code: 'too_many_costly' })
  }
  const refused = await ask(pdf)
  expect([refused.status, refused.headers.get('x-sandbox-limited')]).toEqual([429, 'host'])
  expect(await countEntries(cluster, { id: busy.world })).toBe(entries)

  // The rest of its world, the operator and other worlds are not affected by the limit.
  for (const one of CHEAP) expect([one, (await send(one, busy.key)).status]).toEqual([one, 200])
  expect((await ask(link)).status).toBe(200)
  for (let count = 0; count < 6; count += 1) {
    expect((await send(['GET', '/session'], ADMIN_KEY)).status).toBe(200)
  }
  expect((await send(['POST', '/reset'], other.key, other)).status).toBe(200)
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
  // A world in memory is not loaded.
  expect([(await open(right)).status, (await open(`/reports/${held.id}/${wrong}`)).status]).toEqual(
    [200, 404],
  )
  const { body } = await ask(`${reader.url}/_sandbox/health`)
  expect(body.worlds).toBeLessThanOrEqual(12)
})
