import assert from 'node:assert/strict'
import { anAgency, completedOf } from '../../../support/agency.js'
import {
  assertDelivered,
  assertExit,
  countContents,
  STORM,
  syncChecks,
} from '../../../support/sync-checks.js'

export const command = (out) => ['python3', 'sync.py', out]

export const review = STORM

const CONTENT = 'GET /projects/{project}/reports/{report_number}/content'

function assertCheck({ sandbox }, id) {
  const { result, findings } = sandbox.review().checks.find((check) => check.id === id)
  assert.notEqual(result, 'failed', `${id}: ${findings[0]?.message}`)
}

/** A window of the token that ends soon, so that the client has to wait, but not for long. */
async function openWindow({ sandbox }, token, advance) {
  await sandbox.fetch('/api/v1/me', { headers: { authorization: `Bearer ${token}` } })
  await sandbox.clock.advance(advance)
  await sandbox.requests.clear()
}

export const checks = {
  'a full minute is waited for': async ({ serve, client, aFolder }) => {
    const limit = { per_minute: 14, per_hour: 'unlimited' }
    const fixtures = anAgency({ seed: 91, projects: 6, limit })
    const server = await serve({ fixtures })
    const out = await aFolder()
    await openWindow(server, fixtures.tokens[0].token, 'PT50S')

    assertExit(await client(server, out), 0, 'at the limit of a minute')
    assert.ok(server.sandbox.requests.count({ status: 429 }) > 0, 'no request met the limit')
    assertCheck(server, 'retry-after')
    assertCheck(server, 'token-told-to-wait')
    await assertDelivered(server, out, completedOf(fixtures), 'at the limit of a minute')
  },

  // While the hour is full, the headers about the minute still look fine (specification 8).
  'a full hour is waited for': async ({ serve, client, aFolder }) => {
    const limit = { per_minute: 60, per_hour: 18 }
    const fixtures = anAgency({ seed: 92, projects: 6, limit })
    const server = await serve({ fixtures })
    const out = await aFolder()
    await openWindow(server, fixtures.tokens[0].token, 'PT59M40S')

    assertExit(await client(server, out), 0, 'at the limit of an hour')
    assert.ok(server.sandbox.requests.count({ status: 429 }) > 0, 'no request met the limit')
    assertCheck(server, 'retry-after')
    assertCheck(server, 'token-told-to-wait')
    await assertDelivered(server, out, completedOf(fixtures), 'at the limit of an hour')
  },

  'a 503 that says when is waited for': async ({ serve, client, aFolder }) => {
    const fixtures = anAgency({ seed: 93, projects: 5 })
    const server = await serve({ fixtures })
    const out = await aFolder()
    await server.sandbox.faults.set([
      { kind: 'status', status: 503, retry_after: 4, schedule: { nth: 3 } },
      { kind: 'status', status: 429, retry_after: 3, endpoint: CONTENT, schedule: { nth: 2 } },
    ])
    assertExit(await client(server, out), 0, 'after a 503 with Retry-After')
    assertCheck(server, 'retry-after')
    await assertDelivered(server, out, completedOf(fixtures), 'after a 503 with Retry-After')
  },

  'a 503 that does not say when is tried again': async ({ serve, client, aFolder }) => {
    const fixtures = anAgency({ seed: 94, projects: 4 })
    const server = await serve({ fixtures })
    const out = await aFolder()
    await server.sandbox.faults.add({
      kind: 'status',
      status: 503,
      endpoint: CONTENT,
      schedule: { first: 3 },
    })
    assertExit(await client(server, out), 0, 'after three 503s')
    await assertDelivered(server, out, completedOf(fixtures), 'after three 503s')
  },

  'what is missing is not tried again': async ({ serve, client, aFolder }) => {
    const fixtures = anAgency({ seed: 95, projects: 4 })
    const server = await serve({ fixtures })
    const [{ project }] = completedOf(fixtures)
    const rest = completedOf(fixtures).filter((report) => report.project !== project)
    const out = await aFolder()
    await server.sandbox.faults.add({ kind: 'status', status: 404, endpoint: CONTENT, project })
    assertExit(await client(server, out), 1, 'where a content is missing')
    assert.ok(countContents(server) <= rest.length + 6, 'a 404 is tried again')
    await assertDelivered(server, out, rest, 'where a content is missing')
  },

  'a project that cannot be read keeps nothing from the others':
    syncChecks['a project that cannot be read keeps nothing from the others'],
  'a refused token is an error that is explained':
    syncChecks['a refused token is an error that is explained'],
}
