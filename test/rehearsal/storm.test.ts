import { describe, expect, test } from 'vitest'
import type { OperationId } from '../../src/contract/routes.ts'
import { createSandbox } from '../../src/index.ts'
import { explainUnmet, planStorm } from '../../src/rehearsal/storm.ts'

const SEEDS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10']

describe('the plan of a storm', () => {
  test('is the same for the same seed, and not for every seed', () => {
    const plans = SEEDS.map((seed) => JSON.stringify(planStorm(seed)))
    expect(SEEDS.map((seed) => JSON.stringify(planStorm(seed)))).toEqual(plans)
    expect(new Set(plans).size).toBeGreaterThan(3)
  })

  test.for(SEEDS)(
    'with the seed %s has faults that a sandbox takes, and ends calm',
    async (seed) => {
      const sandbox = await createSandbox()
      const plan = planStorm(seed)
      for (const { faults } of plan) await sandbox.faults.set(faults)
      expect(plan.map(({ faults, advance }) => [faults.length > 0, advance])).toEqual([
        [true, undefined],
        [true, undefined],
        [false, 'P1D'],
      ])
    },
  )

  test.for(SEEDS)(
    'with the seed %s has a client try each of its first requests again',
    async (seed) => {
      const sandbox = await createSandbox()
      const [, failing] = planStorm(seed)
      await sandbox.faults.set(failing!.faults)
      const headers = { authorization: 'Bearer sandbox-agency' }
      const statuses: number[] = []
      for (let request = 0; request < 10; request += 1) {
        statuses.push((await sandbox.fetch('/api/v1/me', { headers })).status)
      }
      expect(statuses.slice(0, 3)).toEqual([503, 503, 200])
      expect(statuses.filter((status) => status !== 200)).toEqual([503, 503, 429, 502])
      // After that, no request fails twice in a row.
      expect(statuses.slice(2).join(' ')).not.toMatch(/(?:429|502) (?:429|502)/)
      expect(statuses.at(-1)).toBe(200)
    },
  )
})

describe('why a client has not met the situation of a check', () => {
  const asked = (...endpoints: OperationId[]) => ({
    endpoints: new Set(endpoints),
    hasQuery: false,
  })

  test.for<
    [
      title: string,
      id: Parameters<typeof explainUnmet>[0],
      requests: ReturnType<typeof asked>,
      sentence: string,
    ]
  >([
    [
      'requested no endpoint of it',
      'next-link',
      asked('getMe'),
      'The client never requested GET /projects.',
    ],
    [
      'requested none of several',
      'one-by-one',
      asked(),
      'The client never requested GET /countries/{country} or GET /languages/{language} or GET /users/{user} or GET /countries or GET /languages or GET /users.',
    ],
    ['sent no query', 'unknown-parameter', asked('getMe'), 'The client sent no query.'],
    [
      'requested one of them',
      'next-link',
      asked('listProjects'),
      'No request of the client led to this situation, whatever failed.',
    ],
    [
      'is about all requests',
      'token-told-to-wait',
      asked('getMe'),
      'No request of the client led to this situation, whatever failed.',
    ],
  ])('that it %s', ([, id, requests, sentence]) => {
    expect(explainUnmet(id, requests)).toBe(sentence)
  })
})
