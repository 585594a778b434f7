import { expect, test } from 'vitest'
import { isFullDepth } from '../support/depth.ts'
import {
  createWorld,
  expectAgreement,
  listRequests,
  startBalancedCluster,
} from './support/cluster.ts'
import type { StoredWorld } from './support/cluster.ts'
import { numbersOf } from './support/load.ts'
import { tryToAsk } from './support/replica.ts'

/**
 * Rate limits over three replicas behind a proxy without stickiness. `PROPERTY_DEPTH=1 npm run test:store` has the
 * full counts.
 */

const RUNS = isFullDepth ? 200 : 5
const LIMIT = 60

/** Sends one request more than the limit at once; the status of each, by its number. */
async function askAtOnce(
  { haproxy }: { haproxy: { url: string } },
  { tokens }: StoredWorld,
): Promise<(number | undefined)[]> {
  const token = tokens['sandbox-agency']!
  return Promise.all(
    Array.from({ length: LIMIT + 1 }, async (_, n) => {
      const answer = await tryToAsk(`${haproxy.url}/api/v1/me?n=${n}`, { token })
      return answer?.status
    }),
  )
}

test('of 61 requests at once, exactly 60 pass', { tags: ['core'], timeout: 600_000 }, async () => {
  await using cluster = await startBalancedCluster({ replicas: 3 })
  for (let run = 0; run < RUNS; run += 1) {
    const world = await createWorld(cluster.haproxy)
    const statuses = await askAtOnce(cluster, world)
    expect(statuses.filter((status) => status === 200)).toHaveLength(LIMIT)
    expect(statuses.filter((status) => status === 429)).toHaveLength(1)
  }
})

test('of 61 requests at once while a replica is killed, never more than 60 pass, and the journal has them', async () => {
  await using cluster = await startBalancedCluster({ replicas: 3 })
  const { replicas, haproxy } = cluster
  for (let run = 0; run < RUNS; run += 1) {
    const killed = replicas[run % 3]!
    const world = await createWorld(haproxy)
    const [statuses] = await Promise.all([askAtOnce(cluster, world), killed.kill()])
    const passed = [...statuses.keys()].filter((n) => statuses[n] === 200)
    expect(passed.length).toBeLessThanOrEqual(LIMIT)

    const restarted = killed.start()
    const requests = await listRequests(replicas[(run + 1) % 3]!, world)
    const recorded = numbersOf(requests.filter(({ status }) => status === 200))
    expect(recorded).toHaveLength(Math.min(LIMIT, requests.length))
    expect(recorded).toEqual(expect.arrayContaining(passed))
    await restarted
    await expectAgreement(replicas, world)
  }
}, 600_000)
