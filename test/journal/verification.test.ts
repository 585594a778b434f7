import { describe, expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { Expectation, Sandbox } from '../../src/index.ts'
import { serveSandbox } from '../../src/server/start-server.ts'
import { sendRaw } from '../support/transports.ts'
import { AGENCY, aProject, aToken, aWorld, SUPER } from '../support/worlds.ts'

/** Verification: success of an expectation, and the requests that came nearest. */

const FIXTURES = aWorld({
  tokens: [
    aToken({ id: 1, token: AGENCY, name: 'Agency' }),
    aToken({ id: 2, token: SUPER, name: 'Super', agency: null }),
  ],
  projects: [aProject({ id: 1 }), aProject({ id: 2 })],
})

/** `GET /me`, then the projects 1, 2 and 9 in that order, the last by the super-admin's token. */
async function sandboxAfterRequests(...more: string[]): Promise<Sandbox> {
  const sandbox = await createSandbox({ fixtures: FIXTURES })
  for (const path of ['/me', '/projects/1', '/projects/2']) await send(sandbox, path, AGENCY)
  await send(sandbox, '/projects/9', SUPER)
  for (const path of more) await send(sandbox, path, AGENCY)
  return sandbox
}

function send(sandbox: Sandbox, path: string, token: string): Promise<Response> {
  return sandbox.fetch(`/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })
}

const PROJECT = { route: 'GET /projects/{project}' }

describe('an expectation', () => {
  test.each<Expectation & { passes: boolean }>([
    { requests: PROJECT, passes: true },
    { requests: PROJECT, times: 3, passes: true },
    { requests: PROJECT, times: 2, passes: false },
    { requests: PROJECT, times: 4, passes: false },
    { requests: PROJECT, times: { min: 3 }, passes: true },
    { requests: PROJECT, times: { min: 4 }, passes: false },
    { requests: PROJECT, times: { max: 3 }, passes: true },
    { requests: PROJECT, times: { max: 2 }, passes: false },
    { requests: PROJECT, times: { min: 1, max: 3 }, passes: true },
    { requests: PROJECT, times: { min: 1, max: 2 }, passes: false },
    { requests: PROJECT, never: true, passes: false },
    { requests: { route: '/users' }, never: true, passes: true },
    { requests: { route: '/users' }, times: 0, passes: true },
    { requests: { route: '/users' }, times: { max: 1 }, passes: true },
    { requests: { route: '/users' }, passes: false },
    { requests: {}, times: 4, passes: true },
    { in_order: [{ route: '/me' }, { project: 2 }, { status: 404 }], passes: true },
    { in_order: [{ project: 1 }, { project: 1 }], passes: false },
    { in_order: [{ project: 2 }, { project: 1 }], passes: false },
    { no_unknown_routes: true, passes: true },
  ])(
    '$requests$in_order times $times never $never passes: $passes',
    async ({ passes, ...rest }) => {
      const { requests } = await sandboxAfterRequests()
      expect(requests.verify(rest).passed).toBe(passes)
    },
  )

  test('of known paths only fails with the first unknown path', async () => {
    const { requests } = await sandboxAfterRequests('/project/1')
    const { passed, matching } = requests.verify({ no_unknown_routes: true })
    expect([passed, matching]).toMatchObject([false, [{ path: '/api/v1/project/1' }]])
    expect(requests.verify({ requests: {}, times: 4 }).passed).toBe(true)
  })

  test.each([
    { sent: {}, says: 'one of requests, in_order, no_unknown_routes' },
    { sent: { requests: {}, in_order: [{}] }, says: 'Write exactly one' },
    { sent: { in_order: [{}], times: 2 }, says: 'times: This only goes with requests' },
    { sent: { requests: {}, times: 2, never: true }, says: 'never: This cannot go with times' },
    { sent: { requests: {}, times: { min: 3, max: 2 } }, says: 'times: min is greater' },
    { sent: { requests: {}, times: {} }, says: 'times: This has no number. Write min, max' },
    { sent: { requests: {}, times: -1 }, says: 'times: -1 is too small' },
    { sent: { requests: { rout: '/me' } }, says: 'requests.rout: "rout" is not a field' },
    { sent: { in_order: [{}, { status: 'ok' }] }, says: 'in_order[1].status: "ok"' },
    { sent: { in_order: [{}, { token: 'Agensy' }] }, says: 'in_order[1].token: No token' },
    { sent: { requests: { token: 7 } }, says: 'requests.token: No token' },
    { sent: { in_order: [] }, says: 'in_order: This list is empty' },
    {
      sent: { in_order: Array.from({ length: 1001 }, () => ({})) },
      says: 'in_order: This list has 1001 filters',
    },
    { sent: { request: {} }, says: 'Did you mean "requests"?' },
  ])('$sent is refused', async ({ sent, says }) => {
    const sandbox = await sandboxAfterRequests()
    expect(() => sandbox.requests.verify(sent as Expectation)).toThrow(says)
    const { status, body } = await post(sandbox, sent)
    expect([status, body.error.code]).toEqual([422, 'invalid_command'])
  })
})

describe('the message', () => {
  test.each<{ expectation: Expectation; says: string[] }>([
    {
      expectation: { requests: { route: 'GET /projects/{project}', status: 404, token: 'Agency' } },
      says: [
        'Expected GET /projects/{project} with status 404, token "Agency" to be requested at least once, but it was never requested.',
        'Nearest:',
        '  #4 GET /api/v1/projects/9 → 404 project_not_found, token "Super" (differs in token)',
        '  #3 GET /api/v1/projects/2 → 200 resource, token "Agency" (differs in status)',
        '  #2 GET /api/v1/projects/1 → 200 resource, token "Agency" (differs in status)',
        '  #1 GET /api/v1/me → 200 resource, token "Agency" (differs in route, status)',
      ],
    },
    {
      expectation: { requests: { route: '/me' }, times: 2 },
      says: [
        'Expected /me to be requested twice, but it was requested once.',
        '  #1 GET /api/v1/me → 200 resource, token "Agency"',
        'Nearest:',
        '  #4 GET /api/v1/projects/9 → 404 project_not_found, token "Super" (differs in route)',
        '  #3 GET /api/v1/projects/2 → 200 resource, token "Agency" (differs in route)',
        '  #2 GET /api/v1/projects/1 → 200 resource, token "Agency" (differs in route)',
      ],
    },
    {
      expectation: { requests: { route: '/me' }, times: { min: 2, max: 4 } },
      says: [
        'Expected /me to be requested 2 to 4 times, but it was requested once.',
        '  #1 GET /api/v1/me → 200 resource, token "Agency"',
        'Nearest:',
        '  #4 GET /api/v1/projects/9 → 404 project_not_found, token "Super" (differs in route)',
        '  #3 GET /api/v1/projects/2 → 200 resource, token "Agency" (differs in route)',
        '  #2 GET /api/v1/projects/1 → 200 resource, token "Agency" (differs in route)',
      ],
    },
    {
      expectation: { requests: { token: SUPER }, never: true },
      says: [
        'Expected any request with token "Super" never to be requested, but it was requested once.',
        '  #4 GET /api/v1/projects/9 → 404 project_not_found, token "Super"',
      ],
    },
    {
      expectation: { requests: { project: 1 } },
      says: [
        'any request with project 1 was requested once.',
        '  #2 GET /api/v1/projects/1 → 200 resource, token "Agency"',
      ],
    },
    {
      expectation: { in_order: [{ project: 1 }, { route: '/me' }] },
      says: [
        'Expected any request with project 1, then /me, in this order, but after #2 there was no /me.',
        '  #2 GET /api/v1/projects/1 → 200 resource, token "Agency"',
        'Nearest:',
        '  #1 GET /api/v1/me → 200 resource, token "Agency" (came before #2)',
        '  #4 GET /api/v1/projects/9 → 404 project_not_found, token "Super" (differs in route)',
        '  #3 GET /api/v1/projects/2 → 200 resource, token "Agency" (differs in route)',
        '  #2 GET /api/v1/projects/1 → 200 resource, token "Agency" (differs in route)',
      ],
    },
    {
      expectation: { in_order: [{ status: 404 }, { route: '/projects/{project}', status: 404 }] },
      says: [
        'Expected any request with status 404, then /projects/{project} with status 404, in this order, but after #4 there was no /projects/{project} with status 404.',
        '  #4 GET /api/v1/projects/9 → 404 project_not_found, token "Super"',
        'Nearest:',
        '  #3 GET /api/v1/projects/2 → 200 resource, token "Agency" (differs in status)',
        '  #2 GET /api/v1/projects/1 → 200 resource, token "Agency" (differs in status)',
        '  #1 GET /api/v1/me → 200 resource, token "Agency" (differs in route, status)',
      ],
    },
  ])('of $expectation', async ({ expectation, says }) => {
    const { requests } = await sandboxAfterRequests()
    expect(requests.verify(expectation).message.split('\n')).toEqual(says)
  })

  test('says so if there were no requests at all', async () => {
    const { requests } = await createSandbox({ fixtures: FIXTURES })
    expect(requests.verify({ requests: {} }).message).toContain('There were no requests at all.')
    expect(requests.verify({ in_order: [{}] }).message).toContain('There were no requests at all.')
  })

  test('does not say so if there was one, and none after it', async () => {
    const sandbox = await createSandbox({ fixtures: FIXTURES })
    await send(sandbox, '/me', AGENCY)
    const { message } = sandbox.requests.verify({ in_order: [{ route: '/me' }, { route: '/me' }] })
    expect(message).not.toContain('no requests at all')
  })

  test('shows an unknown path among the nearest', async () => {
    const { requests } = await sandboxAfterRequests('/project/1')
    const { nearest } = requests.verify({ requests: { route: 'GET /users' } })
    expect(nearest[0]).toMatchObject({ path: '/api/v1/project/1', route: null })
  })

  test('stays short', async () => {
    const { requests } = await sandboxAfterRequests(...Array.from({ length: 50 }, () => '/me'))
    const { message, matching } = requests.verify({ requests: { route: '/me' }, never: true })
    expect(matching).toHaveLength(51)
    expect(message.split('\n')).toHaveLength(22)
    expect(message).toContain('and 31 more')
  })
})

describe('over the control API', () => {
  test('a failed verification is a response like one that passes', async () => {
    const sandbox = await sandboxAfterRequests()
    for (const times of [3, 2]) {
      const expectation = { requests: PROJECT, times }
      const { status, body } = await post(sandbox, expectation)
      expect([status, body]).toEqual([200, sandbox.requests.verify(expectation)])
      expect(body.passed).toBe(times === 3)
    }
  })
})

async function post(sandbox: Sandbox, body: unknown) {
  const server = await serveSandbox(sandbox, { port: 0 })
  try {
    const target = '/_sandbox/verify'
    return await sendRaw(server.port, { target, method: 'POST', body: JSON.stringify(body) })
  } finally {
    await server.close()
  }
}
