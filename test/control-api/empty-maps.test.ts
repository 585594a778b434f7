import { describe, expect, test } from 'vitest'
import { openTab } from '../support/control-transports.ts'
import { aProject, aReport, aWorld } from '../support/worlds.ts'

/** PHP encodes an empty array as `[]`, even in place of a map in a body (docs/control-api.md). */

const TOKEN = { id: 1, name: 'Office', token: 'office', agency: 1 }

const WORLD = aWorld({
  projects: [
    aProject({
      id: 1,
      reports: [aReport({ id: 21, report_number: 1 })],
      keywords: [{ id: 31, keyword: 'fish', create_date: '2026-01-01' }],
    }),
  ],
  tokens: [TOKEN],
})
const STATED = { ...WORLD, policies: {}, tokens: [{ ...TOKEN, rate_limit: {} }] }

const open = () => openTab({ fixtures: WORLD, now: '2026-03-15', frozen: true })

async function send(method: string, path: string, text: string) {
  await using client = await open()
  const { status, body } = await client.send({ target: `/_sandbox${path}`, method, body: text })
  return { status, body: withoutNames(body) }
}

/** A body without the name and the tokens of a new world, and without the time on the rate clock. */
function withoutNames(body: unknown): unknown {
  const text = JSON.stringify(body) ?? 'null'
  return JSON.parse(text.replaceAll(/"(?:id|office|rate_clock)":"[^"]+"/g, '"name":""'))
}

test.each<[method: string, path: string, body: unknown]>([
  ['PATCH', '/policies', {}],
  ['POST', '/commands', { type: 'policy.set', policies: {} }],
  ['POST', '/commands', { type: 'record.patch', collection: 'reports', id: 21, patch: {} }],
  ['POST', '/verify', { requests: {}, times: 0 }],
  ['POST', '/verify', { requests: { query: {} }, never: true }],
  ['POST', '/verify', { in_order: [{}, { route: '/me' }, {}] }],
  ['POST', '/projects/1/reports', {}],
  ['POST', '/reports/21/complete', {}],
  ['POST', '/reports/21/complete', { content: {} }],
  ['PATCH', '/records/reports/21', {}],
  ['PATCH', '/records/reports/21', { status: 'completed', content: {} }],
  ['PATCH', '/records/tokens/1', { rate_limit: {} }],
  ['PUT', '/records/tokens/2', { ...TOKEN, id: 2, token: 'other', rate_limit: {} }],
  ['POST', '/worlds', {}],
  ['POST', '/worlds', { policies: {} }],
  ['POST', '/worlds', { fixtures: STATED }],
  ['POST', '/commands', { type: 'fixtures.load', fixtures: STATED }],
])('%s %s takes %j with [] in place of {}', async (method, path, body) => {
  const text = JSON.stringify(body)
  const expected = await send(method, path, text)
  expect(expected.status, JSON.stringify(expected.body)).toBeLessThan(300)
  expect(await send(method, path, text.replaceAll('{}', '[]'))).toEqual(expected)
})

test('a snapshot that PHP has decoded and encoded again is restored', async () => {
  await using client = await open()
  const content = JSON.stringify({ content: {} })
  await client.send({ target: '/_sandbox/records/reports/21', method: 'PATCH', body: content })
  const snapshot = JSON.stringify(await client.sandbox.snapshot())
  expect(snapshot).toContain('"content":{}')
  await client.sandbox.reset()
  const target = '/_sandbox/snapshots'
  const body = snapshot.replaceAll('{}', '[]')
  const { status, text } = await client.send({ target, method: 'POST', body })
  expect([status, text]).toEqual([200, expect.anything()])
  const restored = await client.sandbox.snapshot()
  expect(restored.records).toEqual((JSON.parse(snapshot) as typeof restored).records)
})

describe('an empty list is still refused', () => {
  test.each([
    ['PUT', '/records/agencies/5', [], 'A record is a map of fields. Send one as JSON.'],
    ['POST', '/faults', [], 'A fault has a kind.'],
    ['PATCH', '/records/reports/21', { status: [] }, 'a list is not a report status.'],
    ['POST', '/verify', { requests: [], times: [[]] }, 'a list'],
    ['POST', '/worlds', { fixtures: { version: 1, agencies: [[]] } }, 'a list is not a map'],
  ])('%s %s %j', async (method, path, body, sentence) => {
    const answer = await send(method, path, JSON.stringify(body))
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([
      422,
      expect.stringContaining(sentence),
    ])
  })

  test('with the other problems of the body, and the empty maps without one', async () => {
    const { body } = await send('POST', '/verify', '{ "requests": [], "nevr": true }')
    const { problems } = (body as { error: { problems: { path: string }[] } }).error
    expect(problems.map(({ path }) => path)).toEqual(['nevr'])
  })
})
