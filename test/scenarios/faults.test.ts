import { describe, expect, test } from 'vitest'
import type { FaultInput } from '../../src/world/faults/fault.ts'
import type { SandboxOptions } from '../../src/index.ts'
import { transports } from '../support/transports.ts'
import type { TestResponse } from '../support/transports.ts'
import { AGENCY, aProject, aToken, aWorld, SUPER } from '../support/worlds.ts'

/** Two projects, and a token of agency 1 with the default limits. */
const options: SandboxOptions = {
  fixtures: aWorld({
    tokens: [
      aToken({ id: 1, token: AGENCY, rate_limit: {} }),
      aToken({ id: 2, token: SUPER, agency: null }),
    ],
    projects: [aProject({ id: 1 }), aProject({ id: 2 })],
  }),
}

describe.each(transports)('faults over $name', ({ open }) => {
  /**
   * The results of requests to these paths while the fault is armed: a status, or `lost` if there
   * is no response.
   */
  async function statusesOf(fault: FaultInput, paths: string[], token = AGENCY) {
    await using client = await open(options)
    await client.sandbox.faults.add(fault)
    const statuses: (number | 'lost')[] = []
    for (const path of paths) {
      const response = client.send({ path, token })
      statuses.push(await response.then(({ status }) => status).catch(() => 'lost' as const))
    }
    return { statuses, listed: client.sandbox.faults.list()[0] }
  }

  const five = Array.from({ length: 5 }, () => '/me')

  test.each<[string, FaultInput['schedule'], (number | 'lost')[], boolean]>([
    ['always', undefined, [503, 503, 503, 503, 503], false],
    ['the first two', { first: 2 }, [503, 503, 200, 200, 200], true],
    ['every second', { every: 2 }, [200, 503, 200, 503, 200], false],
    ['the third', { nth: 3 }, [200, 200, 503, 200, 200], true],
    [
      'until noon, with a clock that stands at noon',
      { until: 'now' },
      [200, 200, 200, 200, 200],
      true,
    ],
    ['from noon on', { from: 'now' }, [503, 503, 503, 503, 503], false],
  ])('apply by schedule: %s', async (_, schedule, expected, exhausted) => {
    const fault = { kind: 'status', status: 503, ...(schedule && { schedule }) } as const
    const { statuses, listed } = await statusesOf(fault, five)
    expect(statuses).toEqual(expected)
    const fired = expected.filter((status) => status === 503).length
    expect(listed).toMatchObject({ matched: 5, fired, exhausted })
  })

  test.each<[string, Pick<FaultInput, 'endpoint' | 'token' | 'project'>, (number | 'lost')[]]>([
    ['an endpoint', { endpoint: '/projects/{project}' }, [200, 'lost', 'lost', 200, 404]],
    ['a project', { project: 2 }, [200, 200, 'lost', 'lost', 404]],
    ['a token', { token: AGENCY }, ['lost', 'lost', 'lost', 'lost', 'lost']],
    ['another token', { token: SUPER }, [200, 200, 200, 200, 404]],
  ])('apply only to %s', async (_, target, expected) => {
    const paths = ['/me', '/projects/1', '/projects/2', '/projects/2/keywords', '/nowhere']
    const { statuses } = await statusesOf({ kind: 'reset', ...target }, paths)
    expect(statuses).toEqual(expected)
  })

  test.each<[FaultInput, string | undefined]>([
    [{ kind: 'status', status: 503, retry_after: 3 }, '60'],
    [{ kind: 'html' }, undefined],
  ])('in front of the API do not use the rate limit: %o', async (fault, remaining) => {
    await using client = await open(options)
    await client.sandbox.faults.add({ ...fault, schedule: { first: 1 } })
    const [failed, next] = [await send(client), await send(client)]
    expect(failed.headers['x-ratelimit-remaining']).toBe(remaining)
    expect(next.headers['x-ratelimit-remaining']).toBe('59')
  })

  test('have a date in Retry-After, so many seconds after the Date of the response, in the journal too', async () => {
    await using client = await open(options)
    const retry_after = { date_in: 120 }
    await client.sandbox.faults.add({ kind: 'status', status: 503, retry_after })
    const { headers } = await send(client)
    expect(headers['retry-after']).toMatch(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/)
    const [date, until] = [headers['date'], headers['retry-after']].map((text) => Date.parse(text!))
    expect(until! - date!).toBe(120_000)
    const [entry] = client.sandbox.requests.toHar().log.entries
    expect(entry!.response.headers).toContainEqual({
      name: 'Retry-After',
      value: headers['retry-after'],
    })
  })

  test.each<FaultInput>([
    { kind: 'malformed-json' },
    { kind: 'latency', max_ms: 5 },
    { kind: 'slow-body', ms: 5 },
  ])('that apply to the response let the request count: %o', async (fault) => {
    await using client = await open(options)
    await client.sandbox.faults.add(fault)
    const { status, headers, body } = await send(client)
    expect([status, headers['x-ratelimit-remaining']]).toEqual([200, '59'])
    expect(body?.id).toBe(fault.kind === 'malformed-json' ? undefined : 1)
  })

  test('a truncated body counts too, and never arrives completely', async () => {
    await using client = await open(options)
    await client.sandbox.faults.add({ kind: 'truncated-body', schedule: { first: 1 } })
    await expect(send(client)).rejects.toThrow()
    expect((await send(client)).headers['x-ratelimit-remaining']).toBe('58')
  })

  function send(client: Awaited<ReturnType<typeof open>>): Promise<TestResponse> {
    return client.send({ path: '/me', token: AGENCY })
  }
})

test('a share applies to the same requests over every transport', async () => {
  const runs: number[][] = []
  for (const { open } of transports) {
    await using client = await open(options)
    await client.sandbox.faults.add({ kind: 'html', schedule: { share: 0.5 } })
    const statuses: number[] = []
    for (let count = 0; count < 20; count += 1) {
      statuses.push((await client.send({ path: '/me', token: AGENCY })).status)
    }
    runs.push(statuses)
  }
  const [first] = runs
  expect(new Set(first)).toEqual(new Set([200, 502]))
  expect(runs).toEqual(runs.map(() => first))
})
