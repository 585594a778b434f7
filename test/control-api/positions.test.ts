import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTab } from '../support/control-transports.ts'
import type { ControlClient } from '../support/control-transports.ts'
import { AGENCY, aProject, aWorld } from '../support/worlds.ts'

/** GET `/_sandbox/projects/{id}/positions` (design, the control API). */

interface Positions {
  months: string[]
  keywords: {
    id: number
    keyword: string
    create_date: string
    active: boolean
    positions: (number | null)[]
  }[]
}

const SUPER = 'sandbox-super'
const GENERATED = {
  version: 1,
  now: '2026-03-15T12:00:00Z',
  frozen: true,
  generate: { projects: 2, keywords: 12 },
} as const

describe('positions', () => {
  let client: ControlClient
  beforeAll(async () => {
    client = await openTab({ fixtures: GENERATED, rateLimit: 'unlimited' })
  })
  beforeEach(() => client.sandbox.reset())
  afterAll(() => client[Symbol.asyncDispose]())

  async function ask(query = '', project: number | string = 1001, one = client) {
    const target = `/_sandbox/projects/${project}/positions${query}`
    const { status, body } = await one.send({ target })
    return { status, body: body as Positions & { error: { message: string } } }
  }

  /** The latest positions from the API, by keyword. */
  async function latestOf(project: number, token = SUPER, one = client) {
    const { body } = await one.send({
      target: `/api/v1/projects/${project}/keywords`,
      headers: { authorization: `Bearer ${token}` },
    })
    const data = body.data as { id: number; latest_position: number | null }[]
    return Object.fromEntries(data.map(({ id, latest_position }) => [id, latest_position]))
  }

  function column({ months, keywords }: Positions, month: string) {
    const index = months.indexOf(month)
    return Object.fromEntries(keywords.map(({ id, positions }) => [id, positions[index]]))
  }

  describe('positions of generated keywords', () => {
    test('are those of twelve months, of every keyword with its phrase, up to the latest, which the API returns', async () => {
      const { status, body } = await ask()
      expect([status, body.months.length]).toEqual([200, 12])
      expect([body.months[0], body.months[11]]).toEqual(['2025-04', '2026-03'])
      expect(
        body.keywords.map(({ id, keyword, create_date, active }) => ({
          id,
          keyword,
          create_date,
          active,
        })),
      ).toEqual(
        client.sandbox.world.records
          .keywordsOf(1001)
          .map(({ id, keyword, create_date, active }) => ({ id, keyword, create_date, active })),
      )
      expect(body.keywords.every(({ positions }) => positions.length === 12)).toBe(true)
      expect(column(body, '2026-03')).toEqual(await latestOf(1001))
    })

    test('stay as the API returned them in their month, whenever they are asked for', async () => {
      const returned: Record<string, object> = {}
      for (const month of ['2026-03', '2026-04', '2026-05']) {
        await client.sandbox.clock.set(`${month}-20`)
        returned[month] = await latestOf(1001)
      }
      for (const now of ['2026-05-20', '2027-02-01']) {
        await client.sandbox.clock.set(now)
        const { body } = await ask('?from=2026-03&until=2026-05')
        for (const month of body.months) expect(column(body, month)).toEqual(returned[month])
      }
      expect(new Set(Object.values(returned).map((each) => JSON.stringify(each))).size).toBe(3)
    })

    test('are null in months to come, and before a keyword was created', async () => {
      const { body } = await ask('?from=2026-03&until=2026-05')
      expect(body.keywords.every(({ positions }) => positions[1] === null)).toBe(true)
      const { body: early } = await ask('?from=1999-01&until=1999-12')
      expect(
        early.keywords.flatMap(({ positions }) => positions).every((one) => one === null),
      ).toBe(true)
    })

    test('are null in the months before an edit, but for the latest, until a reset', async () => {
      const { body: before } = await ask()
      const [edited, other] = before.keywords
      const patch = { latest_position: 2 }
      await client.sandbox.command({
        type: 'record.patch',
        collection: 'keywords',
        id: edited!.id,
        patch,
      })
      const { body } = await ask()
      expect(body.keywords[0]?.positions).toEqual([...Array.from({ length: 11 }, () => null), 2])
      expect(body.keywords[1]).toEqual(other)
      await client.sandbox.reset()
      expect((await ask()).body).toEqual(before)
    })

    test('are the same from a snapshot, and in another world of the same seed', async () => {
      const { body } = await ask()
      const snapshot = await client.sandbox.snapshot()
      await client.sandbox.command({ type: 'scenario.load', scenario: 'empty-agency' })
      expect((await ask()).status).toBe(404)
      await client.sandbox.restore(snapshot)
      expect((await ask()).body).toEqual(body)
      const { id } = await client.sandbox.worlds.create()
      expect((await ask(`?world=${id}`)).body).toEqual(body)
    })
  })

  describe('positions of written keywords', () => {
    test('are known in the latest month alone', async () => {
      const keywords = [
        { id: 1, keyword: 'kites', create_date: '2025-01-01', latest_position: 3 },
        { id: 2, keyword: 'kite shop', create_date: '2025-01-01', active: false },
      ]
      const fixtures = aWorld({ projects: [aProject({ id: 1, keywords })] })
      await using written = await openTab({ fixtures })
      const { body } = await ask('?from=2026-01', 1, written)
      expect(body).toEqual({
        project: 1,
        months: ['2026-01', '2026-02', '2026-03'],
        keywords: [
          {
            id: 1,
            keyword: 'kites',
            create_date: '2025-01-01',
            active: true,
            positions: [null, null, 3],
          },
          {
            id: 2,
            keyword: 'kite shop',
            create_date: '2025-01-01',
            active: false,
            positions: [null, null, null],
          },
        ],
      })
      expect(column(body, '2026-03')).toEqual(await latestOf(1, AGENCY, written))
    })
  })

  describe('a request for positions', () => {
    test.each([
      ['?from=2026-03&until=2026-03', 1],
      ['?from=2023-04', 36],
      ['?until=0000-02', 2],
      ['?from=9999-01&until=9999-12', 12],
    ])('with %s has %i months', async (query, count) => {
      const { status, body } = await ask(query)
      expect([status, body.months.length]).toEqual([200, count])
    })

    test.each([
      ['?from=2023-03', 422, '2023-03 to 2026-03 are 37 months. Ask for 36 at most.'],
      ['?from=2026-04', 422, '2026-04 is after 2026-03, the last month. Write an earlier one.'],
      ['?from=2026-13', 422, 'This is not a month. Write one like 2026-03.'],
      ['?until=now', 422, 'This is not a month. Write one like 2026-03.'],
      ['?months=3', 422, '"months" is not'],
      ['?world=w999', 404, 'There is no world'],
    ])('is refused with %s', async (query, status, message) => {
      const refused = await ask(query)
      expect(refused.status).toBe(status)
      expect(refused.body.error.message).toContain(message)
    })

    test.each([99, 'x', '1e3'])('about project %s is refused', async (project) => {
      const { status, body } = await ask('', project)
      expect([status, body.error.message]).toEqual([404, `There is no project ${project}.`])
    })
  })
})
