import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { createClient, RESP_TYPES } from 'redis'
import { expect, test } from 'vitest'
import { readWorldsOptions } from '../../src/sandbox/worlds-options.ts'
import type { SandboxOptions } from '../../src/index.ts'
import { MAXIMUM_AWAITED } from '../../src/journal/recorded-request.ts'
import { storeReview } from '../../src/review/record-review.ts'
import { storeSession } from '../../src/session/stored-session.ts'
import type { LoggedEnd } from '../../src/store/log-entry.ts'
import { LOG_FORMAT } from '../../src/store/log-functions.ts'
import { StoreBackend } from '../../src/store/store-backend.ts'
import { CommandError } from '../../src/world/command-error.ts'
import type { World } from '../../src/world/world.ts'
import { anything, randomWorld, toApiRequest } from '../world/random-steps.ts'
import type { RandomStep } from '../world/random-steps.ts'
import { startRedis } from './support/redis.js'
import type { Redis } from './support/redis.js'

/**
 * Recorded logs, each with digests of the resulting world and of its review. If a digest differs, servers from before and after
 * the change would differ too: once there is a release, add one to LOG_FORMAT or to `Reviewer.version`. Record the logs again
 * with `RECORD_LOGS=1 npm run test:store -- recorded-logs`.
 */

const FOLDER = new URL('../data/logs/', import.meta.url)
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'))

interface RecordedLog {
  format: number
  creation: string
  /** The seed, and the data that commands have loaded, by their digests. */
  inputs: Record<string, string>
  /** The creation, with an empty content, and the entries of the log. */
  entries: [nonce: string, atMs: number, content: string][]
  /** Digest of the world after all entries. */
  digest: string
  review: { version: number; digest: string }
}

/** Ahead of the clock of any Redis, so that the time after the last entry is that of the entry. */
const BEGIN_MS = Date.parse('2100-03-15T12:00:30.250Z')
const STEPS = 80

const LOG = 'seo-sandbox:{default}:log'
const WORLD = 'seo-sandbox:{default}:world'

/** Worlds with every mode of progress, written and generated, which name gaps or not. */
const WORLDS: SandboxOptions[] = [
  { fixtures: randomWorld() },
  { fixtures: randomWorld({ progress: { mode: 'time' } }), showGaps: true },
  { fixtures: randomWorld({ generate: { projects: 2, keywords: 2, reports: 4 } }), seed: 'spring' },
  {
    fixtures: randomWorld({ policies: { 'data-refresh': 'stale' } }),
    latency: '0-50',
    frozen: true,
  },
]

if (process.env['RECORD_LOGS'] === '1')
  test('logs are recorded', async () => {
    for (const [index, options] of WORLDS.entries()) {
      const recorded = await record(options, index + 1)
      const file = new URL(`${index + 1}.json`, FOLDER)
      await writeFile(file, `${JSON.stringify(recorded, null, 1)}\n`)
    }
    expect(files.length).toBeLessThanOrEqual(WORLDS.length)
  }, 120_000)
else
  test.each(files)(
    'the recorded log %s leads to the same world as when it was recorded',
    { tags: ['core'] },
    async (name) => {
      const recorded = JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as RecordedLog
      expect(recorded.format, 'record the logs again').toBe(LOG_FORMAT)
      await using redis = await startRedis()
      const { digest, review } = await replay(redis, recorded)
      expect(digest, 'the world differs').toBe(recorded.digest)
      expect(review, 'the review differs').toEqual(recorded.review)
    },
  )

async function openHost(redis: Redis, options: SandboxOptions): Promise<StoreBackend> {
  return StoreBackend.open({
    ...(await readWorldsOptions(options)),
    url: redis.url,
    hidden: [],
    limits: { requests: 1_000_000_000 },
    onError: (error) => expect.fail(String(error)),
  })
}

/** Drives a world at random, and gives its entries more varied times. */
async function record(options: SandboxOptions, seed: number): Promise<RecordedLog> {
  await using redis = await startRedis()
  const host = await openHost(redis, options)
  const steps = fc.sample(anything, { seed, numRuns: STEPS })
  const passes = new Map<string, number>()
  let earlier = await (await host.get('default')).snapshot()
  for (const [index, step] of steps.entries()) {
    if ('passMs' in step) {
      const last = (await entriesOf(redis)).at(-1)!
      passes.set(last[0], (passes.get(last[0]) ?? 0) + step.passMs)
    } else {
      earlier = await apply(host, step, { earlier, how: index % 3 === 0 ? 'aborted' : 'sent' })
    }
  }
  await host.close()
  let atMs = BEGIN_MS
  const entries: RecordedLog['entries'] = []
  /** New time of each request, by its time of arrival in the log. */
  const timeOf = new Map<number, number>()
  for (const [nonce, loggedMs, content] of await entriesOf(redis)) {
    const { request, end } = JSON.parse(content || '{}') as { request?: unknown; end?: LoggedEnd }
    if (request) timeOf.set(loggedMs, atMs)
    entries.push([nonce, atMs, end ? JSON.stringify({ end: moveEnd(end, timeOf) }) : content])
    atMs += 7 + (passes.get(nonce) ?? 0)
  }
  const creation = await redis.command('HGET', WORLD, 'creation')
  const recorded = {
    format: LOG_FORMAT,
    creation,
    inputs: await inputsOf(redis),
    entries,
  }
  await using other = await startRedis()
  return { ...recorded, ...(await replay(other, recorded)) }
}

function moveEnd(end: LoggedEnd, timeOf: ReadonlyMap<number, number>): LoggedEnd {
  const { arrived_ms: arrivedMs, ended_ms: endedMs } = end
  const atMs = timeOf.get(arrivedMs)!
  return { ...end, arrived_ms: atMs, ended_ms: atMs + endedMs - arrivedMs }
}

type Snapshot = Awaited<ReturnType<World['snapshot']>>

async function apply(
  host: StoreBackend,
  step: RandomStep,
  { earlier, how }: { earlier: Snapshot; how: 'sent' | 'aborted' },
): Promise<Snapshot> {
  if ('passMs' in step) return earlier
  if ('request' in step) {
    const { authorization, accept } = step.request
    const headers = [
      ...(authorization === undefined ? [] : ['Authorization', authorization]),
      ...(accept === undefined ? [] : ['Accept', accept]),
    ]
    const { onEnd } = await host.answer({ ...toApiRequest(step.request), headers })
    onEnd?.(how)
    return earlier
  }
  const world = await host.get('default')
  const applied =
    'command' in step
      ? world.command(step.command)
      : 'clock' in step
        ? world.moveClock(step.clock)
        : world.command({ type: 'snapshot.restore', snapshot: earlier })
  await applied.catch((error: unknown) => {
    // The command is drawn without regard to the world.
    if (!(error instanceof CommandError)) throw error
  })
  return 'restoreEarlier' in step ? (await host.get('default')).snapshot() : earlier
}

async function entriesOf(redis: Redis): Promise<RecordedLog['entries']> {
  const found: [id: string, fields: string[]][] = await redis.command('XRANGE', LOG, '-', '+')
  return found.map(([, [, nonce = '', , atMs, , content = '']]) => [nonce, Number(atMs), content])
}

async function inputsOf(redis: Redis): Promise<Record<string, string>> {
  const client = await createClient({ url: redis.url }).connect()
  const bytes = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer })
  const inputs: Record<string, string> = {}
  for (const key of await client.keys('seo-sandbox:blob:*')) {
    if (key.endsWith(':worlds')) continue
    inputs[key.split(':').at(-1)!] = gunzipSync((await bytes.get(key))!).toString()
  }
  await client.close()
  return inputs
}

type Digests = Pick<RecordedLog, 'digest' | 'review'>

/** Stores a log as that of an isolated world, and returns digests of the world that a server loads from it. */
async function replay(
  redis: Redis,
  { creation, inputs, entries: recorded }: Omit<RecordedLog, keyof Digests>,
): Promise<Digests> {
  const entries = withLaterRequests(recorded)
  const client = await createClient({ url: redis.url }).connect()
  for (const [key, text] of Object.entries(inputs))
    await client.set(`seo-sandbox:blob:${key}`, gzipSync(text))
  const [[nonce, time] = [], ...later] = entries
  const created = {
    format: LOG_FORMAT,
    creation,
    nonce: nonce!,
    time: time!,
    requests: 0,
    position: later.length,
  }
  await client.hSet('seo-sandbox:{w7}:world', created)
  for (const [index, [n, atMs, e]] of later.entries())
    await client.xAdd('seo-sandbox:{w7}:log', `${index + 1}-0`, { n, t: String(atMs), e, b: '0' })
  await client.close()
  const host = await openHost(redis, {})
  const digests = await digestsOf(await host.get('w7'))
  await host.close()
  return digests
}

/** Adds so many requests at the end that a review waits for none of the earlier ones. */
function withLaterRequests(entries: RecordedLog['entries']): RecordedLog['entries'] {
  const [, lastMs] = entries.at(-1)!
  const request = ['GET', '/api/v1/me', '', '127.0.0.1', 'http://localhost', []]
  const content = JSON.stringify({ request })
  const later = Array.from({ length: MAXIMUM_AWAITED }, (_, index) => `later${index}`)
  return [...entries, ...later.map((nonce): RecordedLog['entries'][0] => [nonce, lastMs, content])]
}

/** Digests of everything that a world keeps, its journal and its session included, and of its review. */
async function digestsOf(world: World): Promise<Digests> {
  const keys = {
    keyOf: (seed: object) => createHash('sha256').update(JSON.stringify(seed)).digest('hex'),
    seedOf: () => expect.fail('a world that is written reads no seed'),
  }
  const { version, ...review } = storeReview(world)!
  return {
    digest: digestOf([await world.store(keys), storeSession(world, keys)]),
    review: { version, digest: digestOf(review) },
  }
}

function digestOf(plain: object): string {
  return createHash('sha256').update(JSON.stringify(plain)).digest('base64url')
}
