import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { spawnCli } from '../support/cli.ts'
import { startCluster } from './support/cluster.ts'
import type { Cluster } from './support/cluster.ts'
import { ADMIN_KEY, claim, invite, opens, statusOf } from './support/partners.ts'
import type { Invited } from './support/partners.ts'
import { ask } from './support/replica.ts'

/** `seo-sandbox partners` beside the servers of a store. */

const ARGS = ['--admin-key', ADMIN_KEY]

async function run({ redis }: Cluster, ...args: string[]): Promise<string> {
  const line = ['partners', ...args, '--store', redis.url]
  const { code, stdout, stderr } = await spawnCli(line, { cwd: tmpdir() })
  expect([code, stderr]).toEqual([0, ''])
  return stdout
}

async function runForJson(cluster: Cluster, ...args: string[]): Promise<any> {
  return JSON.parse(await run(cluster, ...args, '--json'))
}

test('invites, lists, renews and revokes, and the servers follow', async () => {
  await using cluster = await startCluster({ args: ARGS })
  const [one, two] = cluster.replicas
  const added = ['add', 'Acme Ltd', '--demo', '--locale', 'da', '--expires', 'P9D']
  const partner: Invited = await runForJson(
    cluster,
    ...added,
    '--public-url',
    'https://demo.example',
  )
  expect(partner.link).toMatch(/^https:\/\/demo\.example\/#claim=w\d+-[0-9a-f]{64}$/)
  expect([await statusOf(one!, partner), await opens(two!, partner.key)]).toEqual([200, 200])
  const showcase = await ask(`${one!.url}/_sandbox/showcase`, { token: partner.key })
  expect(showcase.body.length).toBeGreaterThan(0)

  const [listed] = await runForJson(cluster, 'list')
  expect(listed).toMatchObject({ id: partner.id, name: 'Acme Ltd', expires_at: partner.expires_at })
  const text = await run(cluster, 'list')
  expect(text).toContain('Acme Ltd')
  expect(text).not.toContain(partner.key)

  const renewed = await runForJson(cluster, 'renew', 'Acme Ltd', '--expires', 'P90D', '--link')
  expect(renewed.expires_at > partner.expires_at).toBe(true)
  expect((await claim(one!, partner)).status).toBe(404)
  expect((await claim(one!, renewed)).status).toBe(201)

  await run(cluster, 'revoke', partner.id)
  expect([await statusOf(one!, partner), await opens(two!, partner.key)]).toEqual([401, 401])
  expect(await runForJson(cluster, 'list')).toEqual([])
})

test('a world of which nothing is said is as the default one of the servers', async () => {
  await using cluster = await startCluster({
    replicas: 1,
    args: [...ARGS, '--scenario', 'empty-agency', '--now', '2026-03-15', '--frozen'],
  })
  const [{ url }] = cluster.replicas as [Cluster['replicas'][0]]
  const partner: Invited = await runForJson(cluster, 'add', 'Acme')
  const read = async (path: string, token: string) => (await ask(url + path, { token })).body
  for (const path of ['/_sandbox/policies', '/_sandbox/records/projects']) {
    expect(await read(path, partner.key)).toEqual(await read(path, ADMIN_KEY))
  }
  const { now, frozen } = await read('/_sandbox/clock', partner.key)
  expect([now.slice(0, 10), frozen]).toEqual(['2026-03-15', true])
})

test('another link is printed with what to send', async () => {
  await using cluster = await startCluster({ replicas: 1, args: ARGS })
  const where = ['--public-url', 'https://demo.example']
  const partner: Invited = await runForJson(cluster, 'add', 'Acme', ...where)
  const sent = await runForJson(cluster, 'link', 'Acme', ...where)
  expect(Object.keys(sent)).toEqual(['link', 'base_url', 'expires_at', 'text'])
  expect([sent.expires_at, sent.base_url]).toEqual([
    partner.expires_at,
    'https://demo.example/api/v1',
  ])
  const text = await run(cluster, 'link', partner.id, ...where)
  expect(text).toMatch(/Send this to Acme.+\n\nHello Acme,\n/)
  expect(text).toMatch(/https:\/\/demo\.example\/#claim=w\d+-[0-9a-f]{64}\n/)
  const added = await run(cluster, 'add', 'Birch', ...where)
  expect(added).toMatch(
    /^Birch has world w\d+ until .+\n {2}key {5}world-key~.+\n {2}token {3}\S+~w/,
  )
  expect(added).toContain('https://demo.example/api/v1')
})

test('lists what a partner uses, and what the review of the client says', async () => {
  await using cluster = await startCluster({ replicas: 1, args: ARGS })
  const [one] = cluster.replicas
  const good = await invite(one!, { name: 'Good & Søn' })
  const bad = await invite(one!, { name: 'Bad' })
  await invite(one!, { name: 'Idle' })
  const send = (partner: Invited, path: string) =>
    ask(`${one!.url}/api/v1${path}`, {
      token: partner.tokens['sandbox-agency']!,
      headers: { accept: 'application/json' },
    })
  await send(good, '/me')
  await send(bad, '/me')
  await send(bad, '/projects/101/reports/27/content')
  // Without a snapshot it takes a while.
  await expect
    .poll(async () => (await runForJson(cluster, 'list', '--failed')).length, { timeout: 40_000 })
    .toBe(1)
  const [failed] = await runForJson(cluster, 'list', '--failed')
  expect(failed).toMatchObject({
    name: 'Bad',
    requests: 2,
    review: { verdict: 'failed', worst: { check: 'report-number-range', severity: 'error' } },
  })
  const text = await run(cluster, 'list')
  expect(text).toMatch(
    /\bBad: until .+\n.+2 requests.+of 64\.0 MB\n {2}review .+: failed, .+report-number-range: /,
  )
  expect(text).toMatch(/\bIdle: until .+\n {2}link not used yet, 0 requests, .+\n$/)

  // The review that is stored with a snapshot survives a restart, and listing it loads no world.
  await send(good, '/projects/101/reports/1/content')
  // A reset does not hide the mistakes of a client that has asked nothing since.
  const reset = { method: 'POST', token: bad.key }
  expect((await ask(`${one!.url}/_sandbox/reset`, reset)).status).toBe(200)
  expect(await one!.stop()).toBe(0)
  const { review } = failed
  expect(await runForJson(cluster, 'list', '--failed')).toMatchObject([{ name: 'Bad', review }])
  const search = await runForJson(cluster, 'list', '--search', 'søN')
  expect(search).toEqual([
    expect.objectContaining({
      name: 'Good & Søn',
      review: expect.objectContaining({ delivered: 1, finished: expect.any(Number) }),
    }),
  ])
  expect(await runForJson(cluster, 'list', '--search', 'søn', '--failed')).toEqual([])
  await one!.start()
  await send(bad, '/me')
  expect(await one!.stop()).toBe(0)
  expect(await runForJson(cluster, 'list', '--failed')).toEqual([])
})

test.concurrent.for<[where: string, args: string[], env: Record<string, string>]>([
  ['named', ['--store', 'redis://127.0.0.1:1'], {}],
  ['in the environment', [], { SEO_SANDBOX_STORE: 'redis://127.0.0.1:1' }],
])('a store %s that does not answer is a usage error', async ([, args, env], { expect: its }) => {
  const outcome = await spawnCli(['partners', 'list', ...args], { cwd: tmpdir(), env })
  its(outcome).toMatchObject({ code: 2, stdout: '' })
  its(outcome.stderr).toMatch(
    /^error [^\n]+There is no Redis or Valkey to use at 127\.0\.0\.1:1[^\n]+\n$/,
  )
})
