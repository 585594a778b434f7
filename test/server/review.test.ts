import { expect, test, vi } from 'vitest'
import { reviewSession } from '../../src/sandbox/review-session.ts'
import { startServer } from '../../src/server.ts'
import { sequencesOf } from '../review/client.ts'

const headers = { Authorization: 'Bearer sandbox-unlimited', Accept: 'application/json' }

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
