import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COLLECTION_NAMES } from '../../src/contract/collection-facts.ts'
import type { CollectionName } from '../../src/contract/collection-facts.ts'
import { openTab } from '../support/control-transports.ts'
import type { ControlClient } from '../support/control-transports.ts'
import type { TestResponse } from '../support/transports.ts'

/** Design, the control API: GET /_sandbox/records/{collection}, all at once or page by page. */

describe('lists of records', () => {
  let client: ControlClient
  beforeAll(async () => {
    client = await openTab({
      seed: 3,
      fixtures: {
        version: 1,
        generate: { projects: 40, agencies: 3, keywords: 3, reports: 4 },
        projects: [
          {
            id: 7,
            agency: 1,
            name: 'Ærø Ferries',
            domain: 'https://ferries.example',
            status: 'active',
            created_at: '2026-01-01',
            keywords: [
              { id: 4, keyword: 'Ferry to Ærø', create_date: '2026-01-01' },
              { id: 9, keyword: 'timetable', create_date: '2026-01-01' },
            ],
          },
        ],
        agencies: [{ id: 1, name: 'North' }],
      },
    })
  })
  afterAll(() => client[Symbol.asyncDispose]())

  function list(query: string): Promise<TestResponse> {
    return client.send({ target: `/_sandbox/records/${query}` })
  }

  async function idsOf(query: string): Promise<number[]> {
    const { body } = await list(query)
    return (body.records as { id: number }[]).map(({ id }) => id)
  }

  describe('pages', () => {
    test.each(COLLECTION_NAMES)('of %s together are the list of all', async (name) => {
      const { body: all } = await list(name)
      const limit = Math.max(1, Math.ceil(all.length / 3))
      const paged: unknown[] = []
      let next: number | null = 0
      while (next !== null) {
        const { body }: TestResponse = await list(`${name}?limit=${limit}&after=${next}`)
        expect(body.total).toBe(all.length)
        expect(body.records.length).toBeLessThanOrEqual(limit)
        paged.push(...body.records)
        next = body.next
      }
      expect(paged).toEqual(all)
      expect(paged.length).toBeGreaterThan(0)
    })

    test('begin after an id, whether or not a record has it', async () => {
      expect(await idsOf('projects?after=8&limit=2')).toEqual([1001, 1002])
      expect(await idsOf('projects?after=1001&limit=2')).toEqual([1002, 1003])
      expect((await list('projects?after=99999')).body).toEqual({
        records: [],
        total: 41,
        next: null,
      })
    })

    test('are of one project', async () => {
      const { body } = await list('keywords?project=1001&limit=2')
      expect([body.records.length, body.total, body.next]).toEqual([2, 3, 1_001_002])
      expect((await list('keywords?project=5&limit=2')).status).toBe(404)
    })
  })

  describe('a search finds a text in names, in any case', () => {
    const cases: [CollectionName, string, number[]][] = [
      ['projects', 'ærØ', [7]],
      ['projects', 'FERRIES.example', [7]],
      ['keywords', 'FERRY', [4]],
      ['agencies', 'ort', [1]],
    ]
    test.each(cases)('%s with %s', async (name, text, ids) => {
      expect(await idsOf(`${name}?search=${encodeURIComponent(text)}`)).toEqual(ids)
    })

    test('page by page', async () => {
      const whole = await list('projects?search=a&limit=1000')
      expect(whole.body.total).toBeGreaterThan(5)
      const second = await list(`projects?search=a&limit=2&after=${whole.body.records[1].id}`)
      expect(second.body).toMatchObject({ total: whole.body.total, next: whole.body.records[3].id })
      expect(second.body.records).toEqual(whole.body.records.slice(2, 4))
    })

    test('but never in the value of a token', async () => {
      const [token] = client.sandbox.world.records.all('tokens')
      expect(await idsOf(`tokens?search=${token?.token}`)).toEqual([])
    })

    test('and sees a project that has just been renamed', async () => {
      await idsOf('projects?search=renamed')
      const command = { collection: 'projects', id: 1040, patch: { name: 'Just Renamed' } } as const
      await client.sandbox.command({ type: 'record.patch', ...command })
      expect(await idsOf('projects?search=renamed')).toEqual([1040])
    })
  })

  test.each([
    'projects?limit=0',
    'projects?limit=1001',
    'projects?limit=many',
    'projects?after=-1',
    'projects?after=1.5',
    'projects?serch=a',
    'keywords?project=first',
  ])('%s is refused with a sentence', async (query) => {
    const { status, body } = await list(query)
    expect([status, body.error.code]).toEqual([422, 'invalid_command'])
    expect(body.error.message).toMatch(/\.$/)
  })
})
