import type { CallOptions, Redis } from './redis.ts'

/** A place in a log: an entry, and the nonce by which it is known. */
export interface Position {
  position: number
  nonce: string
}

/** Where a replica is: the last entry that it has applied, or the creation, with its time in epoch milliseconds. */
export type AppliedPosition = Position & { atMs: number }

/** An entry as it is sent to Redis. */
export interface NewEntry {
  nonce: string
  kind: 'request' | 'change'
  content: string
}

/** An entry as Redis returns it. */
export interface KeptEntry {
  nonce: string
  /** When it was appended, by the clock of Redis in epoch milliseconds. */
  atMs: number
  content: string
}

/** An entry that the host of the world does not take. */
export interface RefusedEntry {
  nonce: string
  /** `expired`: the world has expired, and can only be read. `too_many_requests`: too many in this second. */
  reason: 'expired' | 'too_many_requests'
}

/** Why a replica can't have a world: it is gone, a newer release has it, or a part of it was lost. */
export interface FinalRefusal {
  refusal: 'missing' | 'newer' | 'damaged'
  /** What was lost. */
  damage?: string
}

/** `lost`: the log no longer holds the position of the replica, which has to load the world again. */
export type Appended =
  | { nowMs: number; entries: KeptEntry[]; refused: RefusedEntry[] }
  | FinalRefusal
  | { refusal: 'lost' }

/** What a replica loads a world from. */
export interface OpenedLog {
  nowMs: number
  format: number
  /** As it was created, in the form of its creator. */
  creation: string
  /** Where it continues: at its snapshot, or where it was created. */
  from: AppliedPosition
  /** null where it has none yet. */
  snapshot: Buffer | null
  /** The entries after that. */
  entries: KeptEntry[]
}

/** What is known of a world without loading it. */
interface WorldDescription {
  createdMs: number
  usedMs: number
  creation: string
  requests: number
  /** Whether it has expired. */
  isExpired: boolean
}

const PREFIX = 'seo-sandbox:'

/** The log of a world in Redis, with its snapshot. Every method throws StoreError. */
export class WorldLog {
  readonly #redis: Redis
  readonly #bulk: Redis
  readonly #world: string
  readonly #keys: readonly string[]

  /** `bulk` is for what is large, so that other calls don't wait for it. */
  constructor(world: string, { redis, bulk }: { redis: Redis; bulk: Redis }) {
    this.#world = world
    this.#keys = keysOf(world, ['log', 'world', 'snapshot'])
    this.#redis = redis
    this.#bulk = bulk
  }

  /**
   * Appends entries that the log doesn't hold yet, of which it takes `limit` a second, and returns those that others have
   * appended after a position.
   */
  async append(
    { position, nonce }: Position,
    added: readonly NewEntry[],
    { limit, ...options }: Pick<CallOptions, 'onRepeat'> & { limit?: number | undefined } = {},
  ): Promise<Appended> {
    const entries = added.flatMap((entry) => [entry.nonce, entry.kind, entry.content])
    const args = [String(position), nonce, limit === undefined ? '' : String(limit), ...entries]
    return toAppended(await this.#redis.call('append', this.#keys, args, options))
  }

  /** Returns the entries after a position, also where nothing can be appended. */
  async read({ position, nonce }: Position): Promise<Appended> {
    return toAppended(await this.#redis.call('read', this.#keys, [String(position), nonce]))
  }

  async open(): Promise<OpenedLog | FinalRefusal> {
    const reply = await this.#bulk.call('open', this.#keys, [], { asBytes: true })
    const [status, damage] = reply
    if (String(status) !== 'ok') return toFinalRefusal([status, damage].map(String))
    const [, nowMs, format, creation, position, nonce, atMs, snapshot, entries] = reply
    return {
      nowMs: Number(nowMs),
      format: Number(format),
      creation: String(creation),
      from: { position: Number(position), nonce: String(nonce), atMs: Number(String(atMs)) },
      snapshot: snapshot instanceof Buffer ? snapshot : null,
      entries: toEntries((entries as Buffer[]).map(String)),
    }
  }

  /** Creates the world where it does not exist, and returns the creation that holds. */
  async create(
    creation: string,
    { nonce, idleMs }: { nonce: string; idleMs: number },
  ): Promise<string> {
    const idle = idleMs === Infinity ? '' : String(idleMs)
    const reply = await this.#redis.call('create', this.#keys, [nonce, creation, idle])
    return String(reply[1])
  }

  /**
   * Notes that the store lacks a text that the world was loaded from, so that no other server goes on with it either. Returns
   * why none can; undefined where there is the text now.
   */
  async lack(key: string): Promise<FinalRefusal | undefined> {
    const reply = await this.#redis.call('lack', this.#keys, [key])
    return reply[0] === 'ok' ? undefined : toFinalRefusal(reply)
  }

  /** Makes a snapshot the current one and trims the log; nothing happens where a later one is current. */
  async commit({ position, nonce }: Position, snapshot: Buffer): Promise<void> {
    await this.#bulk.call('commit', this.#keys, [String(position), nonce, snapshot])
  }

  /** undefined where it is gone. */
  async describe(): Promise<WorldDescription | undefined> {
    const reply = await this.#redis.call('describe', this.#keys, [])
    const [status, usedMs, creation, requests, isExpired, createdMs] = reply
    if (status !== 'ok') return undefined
    return {
      createdMs: Number(createdMs),
      usedMs: Number(usedMs),
      creation: String(creation),
      requests: Number(requests),
      isExpired: isExpired === 1,
    }
  }

  async drop(): Promise<void> {
    const others = keysOf(this.#world, ['loads', 'partner'])
    await this.#redis.send(['UNLINK', ...this.#keys, ...others])
  }
}

/** The keys of what belongs to a world, with a hash tag, so that Redis Cluster keeps them together. */
export function keysOf(world: string, names: readonly string[]): string[] {
  return names.map((name) => `${PREFIX}{${world}}:${name}`)
}

function toFinalRefusal([refusal, damage]: readonly unknown[]): FinalRefusal {
  return { refusal: refusal as FinalRefusal['refusal'], damage: String(damage) }
}

function toAppended(reply: unknown[]): Appended {
  const [status, nowMs, entries, refused] = reply
  if (status === 'lost') return { refusal: status }
  if (status !== 'ok') return toFinalRefusal(reply)
  return {
    nowMs: Number(nowMs),
    entries: toEntries(entries as string[]),
    refused: toRefused(refused as string[]),
  }
}

/** Each has two values. */
function toRefused(values: readonly string[]): RefusedEntry[] {
  return values.flatMap((nonce, at) =>
    at % 2 === 0 ? [{ nonce, reason: values[at + 1] as RefusedEntry['reason'] }] : [],
  )
}

/** Each has three values. */
function toEntries(values: readonly string[]): KeptEntry[] {
  const entries: KeptEntry[] = []
  for (let at = 0; at < values.length; at += 3) {
    const [nonce = '', atMs, content = ''] = values.slice(at, at + 3)
    entries.push({ nonce, atMs: Number(atMs), content })
  }
  return entries
}
