import { describe, expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { Sandbox } from '../../src/index.ts'
import * as matchers from '../../src/matchers.ts'
import { AGENCY, aProject, aToken, aWorld, SUPER } from '../support/worlds.ts'

/** Contract of `seo-sandbox/matchers` for suites that extend `expect` with it, as this one does. */

expect.extend(matchers)

const FIXTURES = aWorld({
  tokens: [
    aToken({ id: 1, token: AGENCY, name: 'Agency' }),
    aToken({ id: 2, token: SUPER, name: 'Super', agency: null }),
  ],
})

async function sandboxAfterRequests(...paths: string[]): Promise<Sandbox> {
  const sandbox = await createSandbox({ fixtures: FIXTURES })
  for (const path of paths) {
    await sandbox.fetch(`/api/v1${path}`, { headers: { authorization: `Bearer ${AGENCY}` } })
  }
  return sandbox
}

/** Returns the message of a failing matcher. */
function failure(check: () => void): string {
  try {
    check()
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('It does not fail.')
}

describe('toHaveRequested', () => {
  test('accepts an endpoint or a filter, a count, and further filter fields', async () => {
    const sandbox = await sandboxAfterRequests('/me', '/projects/1', '/projects/1', '/projects/9')
    expect(sandbox).toHaveRequested('GET /projects/{project}')
    expect(sandbox).toHaveRequested('GET /projects/{project}', { times: 3 })
    expect(sandbox).toHaveRequested('GET /projects/{project}', { times: 2, status: 200 })
    expect(sandbox).toHaveRequested('GET /projects/{project}', { min: 2, max: 3 })
    expect(sandbox).toHaveRequested('/me', { max: 1, token: 'Agency' })
    expect(sandbox).toHaveRequested({ status: '4xx' }, { times: 1, project: 9 })
    expect(sandbox).toHaveRequested('/users', { times: 0 })
  })

  test('with .not means never, or not that often', async () => {
    const sandbox = await sandboxAfterRequests('/me')
    expect(sandbox).not.toHaveRequested('/users')
    expect(sandbox).not.toHaveRequested('/me', { token: SUPER })
    expect(sandbox).not.toHaveRequested('/me', { times: 2 })
  })

  test('its failure shows what was expected and what came nearest', async () => {
    const sandbox = await sandboxAfterRequests('/me', '/projects/9')
    const message = failure(() =>
      expect(sandbox).toHaveRequested('GET /projects/{project}', { times: 2, status: 200 }),
    )
    expect(message.split('\n')).toEqual([
      'Expected GET /projects/{project} with status 200 to be requested twice, but it was never requested.',
      'Nearest:',
      '  #2 GET /api/v1/projects/9 → 404 project_not_found, token "Agency" (differs in status)',
      '  #1 GET /api/v1/me → 200 resource, token "Agency" (differs in route)',
    ])
  })

  test('its failure after .not shows the unexpected requests', async () => {
    const sandbox = await sandboxAfterRequests('/me')
    const message = failure(() => expect(sandbox).not.toHaveRequested('/me'))
    expect(message.split('\n')).toEqual([
      'Expected otherwise: /me was requested once.',
      '  #1 GET /api/v1/me → 200 resource, token "Agency"',
    ])
  })

  test('an invalid expectation fails with and without .not', async () => {
    const sandbox = await sandboxAfterRequests('/me')
    expect(() => expect(sandbox).toHaveRequested('GET /mee')).toThrow('Did you mean "GET /me"?')
    expect(() => expect(sandbox).not.toHaveRequested('GET /mee')).toThrow('Did you mean "GET /me"?')
    expect(() => expect(sandbox).not.toHaveRequested('/me', { token: 'Agensy' })).toThrow(
      'No token has this',
    )
  })

  test.each([undefined, null, 'sandbox', {}, createSandbox()])(
    'what is not a sandbox is refused',
    (received) => {
      expect(() => expect(received).not.toHaveRequested('/me')).toThrow('Write expect(sandbox)')
    },
  )
})

test('toHaveRequestedInOrder allows others in between', async () => {
  const sandbox = await sandboxAfterRequests('/me', '/users', '/projects', '/projects/1')
  expect(sandbox).toHaveRequestedInOrder(['/me', 'GET /projects', { project: 1, status: 200 }])
  expect(sandbox).not.toHaveRequestedInOrder(['/projects', '/me'])
  const message = failure(() => expect(sandbox).toHaveRequestedInOrder(['/projects', '/me']))
  expect(message).toContain(
    'Expected /projects, then /me, in this order, but after #3 there was no',
  )
})

test('toHaveOnlyKnownRoutes fails with the unknown paths', async () => {
  const sandbox = await sandboxAfterRequests('/me')
  expect(sandbox).toHaveOnlyKnownRoutes()
  await sandbox.fetch('/api/v1/project/1')
  expect(sandbox).not.toHaveOnlyKnownRoutes()
  expect(failure(() => expect(sandbox).toHaveOnlyKnownRoutes())).toContain(
    'GET /api/v1/project/1 → 404',
  )
})

describe('toPassReview', () => {
  test('passes a client with warnings and notices alone', async () => {
    const sandbox = await sandboxAfterRequests('/projects/1', '/projects/1')
    expect(sandbox).toPassReview()
    expect(failure(() => expect(sandbox).not.toPassReview())).toBe(
      'Expected mistakes, but the review of 2 requests has none.',
    )
  })

  test('its failure lists each mistake with what to do instead', async () => {
    const sandbox = await sandboxAfterRequests('/projects/1', '/projects/1/reports/0/content')
    expect(sandbox).not.toPassReview()
    expect(failure(() => expect(sandbox).toPassReview()).split('\n')).toEqual([
      'Expected no mistakes, but the review has:',
      'report-number-range: Request 2 asks project 1 for a report number outside 1 to 26. Request the content of report numbers from the reports list, which are 1 to 26.',
    ])
  })

  test('without a request nothing has passed', async () => {
    const sandbox = await sandboxAfterRequests()
    expect(failure(() => expect(sandbox).toPassReview())).toBe(
      'There is nothing to review: no request was made.',
    )
  })
})

describe('toHaveDeliveredAll', () => {
  const reports = [{ id: 1, report_number: 1, status: 'completed', created_at: 'now' }] as const
  const fixtures = { ...FIXTURES, projects: [aProject({ id: 1, reports: [...reports] })] }
  const headers = { authorization: `Bearer ${AGENCY}` }

  test('fails until every finished report is fetched, of the projects that were read or are given', async () => {
    const sandbox = await createSandbox({ fixtures })
    expect(failure(() => expect(sandbox).toHaveDeliveredAll())).toBe(
      'There is nothing to deliver: no project was read that has a finished report.',
    )
    const message = failure(() => expect(sandbox).toHaveDeliveredAll({ projects: [1] }))
    expect(message.split('\n')[1]).toBe('report 1 of project 1 (id 1) is missing')
    for (const path of ['reports', 'reports/1/content'])
      await sandbox.fetch(`/api/v1/projects/1/${path}`, { headers })
    expect(sandbox).toHaveDeliveredAll()
    await sandbox.reports.regenerate({ project: 1, report_number: 1 })
    expect(sandbox).not.toHaveDeliveredAll()
  })
})
