import { expect, test, vi } from 'vitest'
import { RequiredReview } from '../../src/review/review.ts'
import { reviewSession } from '../../src/sandbox/review-session.ts'
import { startServer } from '../../src/server.ts'
import { sequencesOf } from '../review/client.ts'

const headers = { Authorization: 'Bearer sandbox-unlimited', Accept: 'application/json' }

test('what is required is judged as by exec --require: what was shown, and what was not', async () => {
  await using server = await openServer()
  const ask = (require: string) => fetch(`${server.url}/_sandbox/review?require=${require}`)
  const read = async (require: string) => RequiredReview.parse(await (await ask(require)).json())
  await fetch(`${server.url}/api/v1/projects/101/reports`, { headers })
  await fetch(`${server.url}/api/v1/projects/101/reports/1/content`, { headers })
  const { verdict, required } = await read(
    'unfinished-content,retry-after,delivered,delivered:101,delivered:102',
  )
  expect(verdict).toBe('failed')
  expect(required?.map(({ what, met, message }) => [what, met, message])).toEqual([
    ['unfinished-content', true, 'It passed.'],
    ['retry-after', false, 'The client never met this situation.'],
    [
      'delivered',
      false,
      expect.stringMatching(/^1 of \d+ finished reports were delivered, but not/),
    ],
    ['delivered:101', false, expect.stringMatching(/^1 of \d+ finished reports of project 101/)],
    ['delivered:102', false, expect.stringMatching(/^0 of \d+ finished reports of project 102/)],
  ])
  expect(required?.[1]?.exercise).toMatch(/429/)
  const { required: met, ...review } = await read('unfinished-content')
  expect([met?.length, review]).toEqual([1, server.sandbox.review()])
  const wrong = await ask('unfinished-contents')
  expect([wrong.status, await wrong.text()]).toEqual([
    422,
    expect.stringContaining('Did you mean \\"unfinished-content\\"'),
  ])
})

async function openServer() {
  const server = await startServer({ port: 0 })
  return Object.assign(server, { [Symbol.asyncDispose]: () => server.close() })
}

test('a wait counts from the last byte: what came before it is no retry, what comes after it is one', async () => {
  const server = await startServer({ port: 0 })
  const { sandbox } = server
  await sandbox.faults.set([
    { kind: 'status', status: 429, retry_after: 600 },
    { kind: 'latency', ms: 200 },
  ])
  const ask = async () => (await fetch(`${server.url}/api/v1/projects`, { headers })).text()
  const resultOf = () => {
    const { result, findings } = sandbox.review().checks.find(({ id }) => id === 'retry-after')!
    return { result, requests: findings.map(sequencesOf) }
  }

  const first = ask()
  await vi.waitUntil(() => sandbox.requests.count() === 1)
  await Promise.all([first, ask()])
  expect(resultOf()).toEqual({ result: 'not-exercised', requests: [] })
  await ask()
  expect(resultOf()).toEqual({ result: 'failed', requests: [[3, 4]] })

  const review = sandbox.review()
  const answered = await fetch(`${server.url}/_sandbox/review`)
  expect(await answered.json()).toEqual(review)
  expect(await reviewSession(await sandbox.session())).toEqual(review)
  await server.close()
})
