import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { createClient, RESP_TYPES } from 'redis'
import { expect } from 'vitest'
import type { Redis } from './redis.js'

/** The contents of a Redis. */

/** Reads every key, whatever its type: its values and members, decompressed if necessary. */
export async function readAll({ url }: Redis): Promise<Map<string, string[]>> {
  const client = await createClient({ url }).connect()
  const bytes = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer })
  const reads: Record<string, string[]> = {
    string: ['GET'],
    hash: ['HGETALL'],
    set: ['SMEMBERS'],
    zset: ['ZRANGE', '0', '-1', 'WITHSCORES'],
    stream: ['XRANGE', '-', '+'],
  }
  try {
    const contents = new Map<string, string[]>()
    for await (const keys of client.scanIterator()) {
      for (const key of keys) {
        const [command = '', ...args] = reads[await client.type(key)]!
        contents.set(key, toTexts(await bytes.sendCommand([command, key, ...args])))
      }
    }
    return contents
  } finally {
    client.destroy()
  }
}

function toTexts(reply: unknown): string[] {
  if (reply instanceof Buffer) return [(isPacked(reply) ? gunzipSync(reply) : reply).toString()]
  if (Array.isArray(reply)) return reply.flatMap(toTexts)
  if (typeof reply === 'number') return [String(reply)]
  return Object.entries(reply as object).flatMap(([name, value]) => [name, ...toTexts(value)])
}

function isPacked(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
}

/** The digests of the texts that a world with these contents needs; undefined if there is no such world. */
export function textsOf(contents: Map<string, string[]>, id: string): Set<string> | undefined {
  const hash = contents.get(`seo-sandbox:{${id}}:world`)
  if (!hash) return undefined
  const creation = JSON.parse(hash[hash.indexOf('creation') + 1]!) as { seed: string }
  const needed = new Set([creation.seed])
  const add = (digest: string | null | undefined): unknown => digest && needed.add(digest)
  const [snapshot] = contents.get(`seo-sandbox:{${id}}:snapshot`) ?? []
  if (snapshot !== undefined) {
    const { world, session } = JSON.parse(snapshot)
    for (const digest of [world.seed, world.loaded_seed, session?.seed]) add(digest)
    for (const step of session?.steps ?? []) add(step.seed)
  }
  const log = contents.get(`seo-sandbox:{${id}}:log`) ?? []
  for (const [at, text] of log.entries()) {
    if (log[at - 1] !== 'e') continue
    const { loads, restores } = JSON.parse(text)
    add(loads?.seed)
    add(restores)
  }
  return needed
}

const UNLIMITED = { id: 1, name: 'All', token: 'sandbox-unlimited', agency: null }

/** Fixtures with this many countries, each of whose labels takes 65 bytes when compressed. */
export function largeFixtures(
  label: string,
  countries: number,
): { version: 1; countries: { id: number; label: string }[]; tokens: object[] } {
  const toLabel = (id: number): string =>
    createHash('sha512').update(`${label} ${id}`).digest('base64url')
  return {
    version: 1,
    tokens: [{ ...UNLIMITED, rate_limit: 'unlimited' }],
    countries: Array.from({ length: countries }, (_, at) => ({
      id: at + 1,
      label: `${label} ${toLabel(at)}`,
    })),
  }
}

/** Keys that belong to no world. */
const COMMON = [
  'limits',
  'admin-key',
  'worlds',
  'partners',
  'partner-names',
  'partners-by-name',
  'failed-partners',
  'swept',
]

/** Expects that a Redis holds only the data that its worlds need. Returns their ids. */
export function expectNothingElse(contents: Map<string, string[]>): string[] {
  const membersOf = (name: string): string[] =>
    (contents.get(`seo-sandbox:${name}`) ?? []).filter((_, at) => at % 2 === 0)
  const worlds = membersOf('worlds')
  const ids = ['default', ...worlds]
  const users = new Map<string, string[]>()
  for (const id of ids) {
    const needed = [...textsOf(contents, id)!].toSorted()
    const kept = membersOf(`{${id}}:texts`)
    expect([id, kept.toSorted()]).toEqual([id, needed])
    for (const digest of needed) users.set(digest, [...(users.get(digest) ?? []), id])
  }
  const own = ids.flatMap((id) =>
    ['log', 'world', 'snapshot', 'texts', 'partner', 'loads'].map((name) => `{${id}}:${name}`),
  )
  const blobs = [...users.keys()].flatMap((digest) => [`blob:${digest}`, `blob:${digest}:worlds`])
  const expected = new Set([...COMMON, ...own, ...blobs].map((name) => `seo-sandbox:${name}`))
  const others = [...contents.keys()].filter(
    (key) => !expected.has(key) && !key.startsWith('seo-sandbox:server:'),
  )
  expect(others).toEqual([])
  for (const [digest, needing] of users) {
    const kept = contents.get(`seo-sandbox:blob:${digest}:worlds`)
    expect([digest, kept?.toSorted()]).toEqual([digest, needing.toSorted()])
    expect(contents.has(`seo-sandbox:blob:${digest}`)).toBe(true)
  }
  const partners = membersOf('partners')
  expect(worlds).toEqual(expect.arrayContaining(partners))
  expect(partners).toEqual(expect.arrayContaining(membersOf('failed-partners')))
  const named = membersOf('partners-by-name').map((member) => member.split('\n').at(-1)!)
  for (const listed of [membersOf('partner-names'), named])
    expect(listed.toSorted()).toEqual(partners.toSorted())
  return worlds
}
