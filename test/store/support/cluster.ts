import { expect } from 'vitest'
import { replay } from 'seo-sandbox'
import type { Session } from 'seo-sandbox'
import { startHaproxy } from './haproxy.js'
import type { Haproxy } from './haproxy.js'
import { startRedis } from './redis.js'
import type { Redis } from './redis.js'
import { ask, startReplica } from './replica.ts'
import type { Replica, ReplicaOptions } from './replica.ts'
import { startTcpProxy } from './tcp-proxy.ts'
import type { TcpProxy } from './tcp-proxy.ts'

/** Replicas over a Redis of their own, each through a TCP proxy. */
export interface Cluster extends AsyncDisposable {
  redis: Redis
  /** The proxies between each replica and Redis. */
  proxies: TcpProxy[]
  replicas: Replica[]
}

interface BalancedCluster extends Cluster {
  /** The proxy in front of the replicas. */
  haproxy: Haproxy
}

interface ClusterOptions extends ReplicaOptions {
  /** Number of replicas; two if omitted. */
  replicas?: number
  redis?: Parameters<typeof startRedis>[0]
}

export async function startCluster({
  replicas: count = 2,
  redis: redisOptions,
  ...options
}: ClusterOptions = {}): Promise<Cluster> {
  const redis = await startRedis(redisOptions)
  const proxies = await Promise.all(Array.from({ length: count }, () => startTcpProxy(redis.port)))
  const replicas = await Promise.all(proxies.map(({ url }) => startReplica(url, options)))
  return {
    redis,
    proxies,
    replicas,
    async [Symbol.asyncDispose]() {
      for (const each of [...replicas, ...proxies, redis]) await each[Symbol.asyncDispose]()
    },
  }
}

/** Starts a cluster behind HAProxy, which asks each replica ten times a second whether it is ready. */
export async function startBalancedCluster(options?: ClusterOptions): Promise<BalancedCluster> {
  const cluster = await startCluster(options)
  const haproxy = await startHaproxy(cluster.replicas.map(({ port }) => port))
  return {
    ...cluster,
    haproxy,
    async [Symbol.asyncDispose]() {
      await haproxy[Symbol.asyncDispose]()
      await cluster[Symbol.asyncDispose]()
    },
  }
}

/** An isolated world of a store. */
export interface StoredWorld {
  id: string
  /** The value of each of the fixture's tokens in this world. */
  tokens: Record<string, string>
}

export async function createWorld(
  { url }: { url: string },
  body: object = {},
): Promise<StoredWorld> {
  const created = await ask(`${url}/_sandbox/worlds`, { body })
  expect(created.status, created.text).toBe(201)
  return created.body as StoredWorld
}

/** The path of a route of the control API for a world. */
export function control(world: { id: string }, path: string): string {
  return `/_sandbox${path}${path.includes('?') ? '&' : '?'}world=${world.id}`
}

/** The requests that the journal of a world lists, according to one server. */
export async function listRequests(
  { url }: { url: string },
  world: { id: string },
): Promise<{ sequence: number; status: number; path: string; query: string }[]> {
  const listed = await ask(`${url}${control(world, '/requests')}`)
  expect(listed.status, listed.text).toBe(200)
  return listed.body
}

/** The entries of a world's log, oldest first. */
export async function readLog(
  redis: Redis,
  world: { id: string },
): Promise<[id: string, fields: string[]][]> {
  return redis.command('XRANGE', logKey(world), '-', '+')
}

/** Number of entries that a world's log has had, including those that a snapshot has removed. */
export async function countEntries({ redis }: Cluster, world: { id: string }): Promise<number> {
  const described = await redis.command('XINFO', 'STREAM', logKey(world))
  return described['entries-added']
}

export function logKey({ id }: { id: string }): string {
  return `seo-sandbox:{${id}}:log`
}

/** Routes whose answers have to be the same on all servers, as long as no clock affects them. */
const COMPARED = [
  '/session',
  '/requests',
  '/commands',
  '/review?since=start',
  '/faults',
  '/policies',
  '/records/projects?limit=50',
]

/** Expects that replicas agree about a world, and returns its session. */
export async function expectAgreement(
  replicas: readonly { url: string }[],
  world: { id: string },
): Promise<Session> {
  let session: Session | undefined
  // Each replica logs the ends of its responses, at the latest when it is asked again.
  await Promise.all(replicas.map(({ url }) => ask(url + control(world, '/clock'))))
  for (const path of COMPARED) {
    const answers = await Promise.all(replicas.map(({ url }) => ask(url + control(world, path))))
    const [first] = answers
    expect(first?.status, first?.text).toBe(200)
    for (const { text } of answers) expect(text === first?.text, `${path} differs`).toBe(true)
    if (path === '/session') session = first?.body as Session
  }
  return session as Session
}

/** Same as `expectAgreement`, and also expects that the session replays. */
export async function expectTruth(
  replicas: readonly { url: string }[],
  world: { id: string },
): Promise<Session> {
  const session = await expectAgreement(replicas, world)
  expect((await replay(session)).difference).toBeNull()
  return session
}
