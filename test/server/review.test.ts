import { expect, test, vi } from 'vitest'
import { reviewSession } from '../../src/sandbox/review-session.ts'
import { startServer } from '../../src/server.ts'
import { sequencesOf } from '../review/client.ts'

const headers = { Authorization: 'Bearer sandbox-unlimited', Accept: 'application/json' }

test('what is required is judged as by exec --require: what was shown, and what was not', async () => {
  await using server = await openServer()
  const read = async (require: string) => {
    const response = await fetch(`${server.url}/_sandbox/review?require=${require}`)
    return { status: response.status, body: (await response.json()) as any }
  }
  await fetch(`${server.url}/api/v1/projects/101/reports`, { headers })
  await fetch(`${server.url}/api/v1/projects/101/reports/1/content`, { headers })
  const { ledger } = server.sandbox.review()
  const { body } = await read('unfinished-content,retry-after,delivered,delivered:101')
  expect(body.verdict).toBe('failed')
  const metOf = ({ what, met }: { what: string; met: boolean }) => [what, met]
  expect(body.required.map(metOf)).toEqual([
    ['unfinished-content', true],
    ['retry-after', false],
    ['delivered', ledger.length === 1],
    ['delivered:101', ledger.length === 1],
  ])
  expect(body.required[1].exercise).toMatch(/429/)
  const { required, ...review } = (await read('unfinished-content')).body
  expect([required.length, review]).toEqual([1, server.sandbox.review()])
  const wrong = await read('unfinished-contents')
  expect([wrong.status, wrong.body.error.problems[0].message]).toEqual([
    422,
    expect.stringContaining('Did you mean "unfinished-content"'),
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
