import { expect, test } from 'vitest'
import { expectTruth, startCluster } from './support/cluster.ts'
import { ask } from './support/replica.ts'

const PROJECTS = 100_000

const COMMAND = {
  type: 'fixtures.load',
  fixtures: {
    version: 1,
    generate: { projects: PROJECTS },
    tokens: [
      { id: 1, name: 'All', token: 'sandbox-unlimited', agency: null, rate_limit: 'unlimited' },
    ],
  },
}

test('a command that loads 100,000 projects keeps the order of the requests that wait meanwhile', async () => {
  await using cluster = await startCluster()
  const { replicas } = cluster
  const world = { id: 'default' }
  const total = async ({ url }: { url: string }) => {
    const message = { token: 'sandbox-unlimited' }
    const answer = await ask(`${url}/api/v1/projects?per_page=1`, message)
    expect(answer.status, answer.text).toBe(200)
    return answer.body.meta.total as number
  }
  const state = { isLoaded: false }
  const loaded = ask(`${replicas[0]!.url}/_sandbox/commands`, { body: COMMAND }).then((answer) => {
    state.isLoaded = true
    return answer
  })
  const send = async (replica: { url: string }) => {
    const totals = []
    while (!state.isLoaded) totals.push(await total(replica))
    return totals
  }
  const totals = await Promise.all([...replicas, ...replicas].map(send))
  expect((await loaded).status).toBe(200)
  for (const replica of replicas) expect(await total(replica)).toBe(PROJECTS)
  for (const seen of totals) {
    const first = seen[0] === PROJECTS ? 0 : seen.indexOf(PROJECTS)
    const after = first === -1 ? [] : seen.slice(first)
    expect(after.every((each) => each === PROJECTS)).toBe(true)
  }
  await expectTruth(replicas, world)
})
