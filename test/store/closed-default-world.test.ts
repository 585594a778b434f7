import { expect, test } from 'vitest'
import { isMagicToken, magicTokens } from '../../src/records/magic-tokens.ts'
import { loadScenario, listScenarios } from '../../src/sandbox/stated-seeds.ts'
import { fromRoot } from '../support/cli.ts'
import { BIN } from '../support/launch.ts'
import { createWorld } from './support/cluster.ts'
import { ADMIN_KEY } from './support/partners.ts'
import { startProgram } from './support/program.js'
import { startRedis } from './support/redis.js'
import type { Redis } from './support/redis.js'
import { ask, startReplica } from './support/replica.ts'
import type { Answer, Message } from './support/replica.ts'

/** The default world of a store on a server that strangers can reach. */

const HOSTED = { args: ['--trust-proxy', '1'], env: { SEO_SANDBOX_ADMIN_KEY: ADMIN_KEY } }

/** The example of the documentation, whose tokens are its own. */
const EXAMPLE = fromRoot('fixtures/examples/agency.yaml')

/** The requests in the log. The end of a slow response has an entry too, which comes later. */
async function countRequests(redis: Redis): Promise<number> {
  const entries: [id: string, fields: string[]][] = await redis.command(
    'XRANGE',
    'seo-sandbox:{default}:log',
    '-',
    '+',
  )
  return entries.filter(([, fields]) => fields.some((field) => field.startsWith('{"request"')))
    .length
}

/** Visible parts of an answer: without `Date`, which is the time of the machine. */
function seen({ status, headers, text }: Answer): unknown {
  return [status, [...headers].filter(([name]) => name !== 'date'), text]
}

/** Requests that are refused in different ways. */
const REQUESTS: [path: string, message: Message][] = [
  ['/api/v1/me', {}],
  ['/api/v1/me', { headers: { accept: 'application/json' } }],
  ['/api/v1/projects/101/reports/latest?x=1', { headers: { accept: 'text/html' } }],
  ['/api/v1/nothing', {}],
  ['/api/v1/projects', { method: 'POST' }],
  ['/api/v1/projects', { method: 'HEAD' }],
]

test(
  'no token that everybody knows answers, as an unknown one by the policies in force, and nothing is logged',
  { tags: ['core'] },
  async () => {
    await using redis = await startRedis()
    const given = ['--show-gaps', '--policy', 'unauthenticated-body=envelope']
    await using open = await startReplica(redis.url, { args: given })
    await using closed = await startReplica(redis.url, HOSTED)
    const bearers = [undefined, 'unknown', ...magicTokens(1).map(({ token }) => token)]
    const expectClosed = async () => {
      for (const [path, message] of REQUESTS) {
        // The open server answers an unknown token from the log.
        const expected = seen(await ask(open.url + path, { ...message, token: 'unknown' }))
        const before = await countRequests(redis)
        for (const token of bearers) {
          const answer = await ask(closed.url + path, { ...message, ...(token && { token }) })
          expect(seen(answer), `${path} ${token}`).toEqual(expected)
        }
        expect(await countRequests(redis)).toBe(before)
      }
    }
    await expectClosed()
    const policies = { 'missing-token': '302', 'headers-before-admission': 'sent' }
    const changed = await ask(`${open.url}/_sandbox/policies`, { method: 'PATCH', body: policies })
    expect(changed.status, changed.text).toBe(200)
    await expectClosed()
    expect((await ask(`${open.url}/api/v1/me`, { token: 'sandbox-agency' })).status).toBe(200)
  },
)

test('tokens of own fixtures and of other worlds answer, and the pages of the default world do not', async () => {
  await using redis = await startRedis()
  const args = ['--fixtures', EXAMPLE, '--projects', '1']
  await using open = await startReplica(redis.url, { args })
  await using closed = await startReplica(redis.url, HOSTED)
  const value = 'northlight-live'
  const own = await ask(`${closed.url}/api/v1/me`, { token: value })
  expect([own.status, await countRequests(redis)]).toEqual([200, 1])

  const record = { name: 'Known to everybody', token: 'sandbox-super', agency: null }
  const added = await ask(`${open.url}/_sandbox/records/tokens/99`, { method: 'PUT', body: record })
  expect(added.status, added.text).toBe(201)
  const statusOf = async ({ url }: { url: string }, token: string) =>
    (await ask(`${url}/api/v1/projects`, { token })).status
  expect(await statusOf(open, 'sandbox-super')).toBe(200)
  expect(await statusOf(closed, 'sandbox-super')).toBe(401)

  const world = await createWorld(open, { demo: true })
  expect(await statusOf(closed, world.tokens['sandbox-unlimited']!)).toBe(200)
  const findPage = async (query: string) => {
    const { body } = await ask(`${open.url}/_sandbox/records/reports${query}`)
    const completed = body.filter(({ status }: { status: string }) => status === 'completed')
    // Generated reports are last; those of a fixture may have links of their own.
    const { id } = completed.at(-1)
    const links = await ask(`${open.url}/_sandbox/reports/${id}/links${query}`)
    return new URL(links.body.web_link).pathname
  }
  const page = await findPage('')
  const ofWorld = await findPage(`?world=${world.id}`)
  expect((await ask(open.url + page)).status).toBe(200)
  expect((await ask(closed.url + ofWorld)).status).toBe(200)
  const unknown = await ask(`${closed.url}/reports/w1/1-000000000000000000`)
  expect(seen(await ask(closed.url + page))).toEqual(seen(unknown))
})

test.for([
  { args: [], standing: 'open' },
  { args: ['--trust-proxy', '0'], standing: 'open' },
  { args: ['--host', '0.0.0.0'], standing: 'closed' },
  { args: ['--trust-proxy', '1'], standing: 'closed' },
])('with $args it is $standing, and the server says so', async ({ args, standing }) => {
  await using redis = await startRedis()
  await using replica = await startReplica(redis.url, { ...HOSTED, args })
  const { status } = await ask(`${replica.url}/api/v1/me`, { token: 'sandbox-agency' })
  expect(status).toBe(standing === 'open' ? 200 : 401)
  expect(replica.first['default_world']).toBe(standing)
  const health = await ask(`${replica.url}/_sandbox/health`)
  expect(health.body['default_world']).toBe(standing)

  const line = [BIN, '--store', redis.url, '--port', '0', ...args]
  const child = startProgram(process.execPath, line, { env: { ...process.env, ...HOSTED.env } })
  let banner = ''
  for await (const text of child.stdout!.setEncoding('utf8')) {
    banner += text
    if (banner.includes('Ctrl-C')) break
  }
  child.kill('SIGKILL')
  expect(banner.includes('sandbox-agency')).toBe(standing === 'open')
  expect(/Closed +built-in tokens and pages/.test(banner)).toBe(standing === 'closed')
})

test('all worlds that the package has use the tokens that count as known to everybody', async () => {
  for (const { name } of listScenarios()) {
    const { records } = await loadScenario(name)
    for (const { token } of records.tokens ?? []) expect(isMagicToken(token), name).toBe(true)
  }
})
