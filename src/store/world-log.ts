import { isFailure } from '../review/verdict.ts'
import { CommandError } from '../world/command-error.ts'
import type { ReviewSummary } from '../world/hosted-worlds.ts'
import type { CallOptions, Redis } from './redis.ts'
import { keysOf } from './store-keys.ts'

/** The position of an entry in a log, and the nonce that identifies the entry. */
export interface Position {
  position: number
  nonce: string
}

/**
 * Position of a replica: that of its last applied entry, or of the creation. `atMs` is the time of the append, in epoch
 * milliseconds.
 */
export type AppliedPosition = Position & { atMs: number }

/** An entry in the form sent to Redis. */
export interface NewEntry {
  nonce: string
  /**
   * A full world or store refuses only a `change`. A `removal` is a change that frees room, or a restart of the review.
   * An `end` is always accepted, and does not count towards the limit per second.
   */
  kind: 'request' | 'change' | 'removal' | 'end'
  content: string
  /** The digest of the text that the entry loads; omitted if it loads none. */
  text?: string | undefined
}

/** An entry in the form returned by Redis. */
export interface StoredEntry {
  nonce: string
  /** Time of the append, by the clock of Redis in epoch milliseconds. */
  atMs: number
  content: string
}

export interface RefusedEntry {
  nonce: string
  /**
   * `expired`: the world has expired, and can only be read. `too_many_requests`: the world has used up its requests of
   * this second. `too_late`: the text of the entry is no longer kept.
   */
  reason: 'expired' | 'too_many_requests' | 'too_late' | Fullness
}

/** Reason why a replica can't serve a world: it is gone, a newer release continues it, or part of it was lost. */
export interface FinalRefusal {
  refusal: 'missing' | 'newer' | 'damaged'
  /** The lost part, if the world is damaged. */
  damage?: string
}

/** Result of an append: the refused entries, and the resulting sizes. */
export interface AppendOutcome {
  refused: RefusedEntry[]
  /** Bytes of the log in Redis; 0 if the log was only read. */
  logBytes: number
  /** Bytes of the kept texts in Redis, except that of the creation; 0 if the log was only read. */
  textsBytes: number
  /** Maximum size of the world in bytes; 0 if no change was checked against it. */
  maximumBytes: number
}

/**
 * Result of an append or a read. `lost` if the log no longer holds the position of the replica, which then has to load
 * the world again.
 */
export type Appended =
  | ({ nowMs: number; entries: StoredEntry[] } & AppendOutcome)
  | FinalRefusal
  | { refusal: 'lost' }

/** Data from which a replica loads a world. */
export interface OpenedLog {
  nowMs: number
  format: number
  /** The creation of the world: a `Creation` as JSON. */
  creation: string
  /** Position from which the world continues: that of its snapshot, or of its creation. */
  from: AppliedPosition
  /** The compressed snapshot; null if there is none yet. */
  snapshot: Buffer | null
  /** The entries after `from`. */
  entries: StoredEntry[]
}

/** Facts about a world that are known without loading it. */
interface WorldDescription {
  creation: string
  isExpired: boolean
}

/** The log of a world in Redis, with its snapshot. Every method may throw StoreError. */
export class WorldLog {
  readonly #redis: Redis
  readonly #bulk: Redis
  readonly #keys: readonly string[]
  readonly #partnerKeys: readonly string[]

  /** `bulk` is the connection for large values, so that other calls don't wait for them. */
  constructor(world: string, { redis, bulk }: { redis: Redis; bulk: Redis }) {
    this.#keys = keysOf(world, ['log', 'world', 'snapshot'])
    this.#partnerKeys = keysOf(world, ['log', 'world', 'snapshot', 'partner'])
    this.#redis = redis
    this.#bulk = bulk
  }

  /**
   * Appends entries that the log doesn't hold yet, and returns the entries that it already held after the position. At
   * most `limit` requests and changes a second are accepted; without it, any number.
   */
  async append(
    { position, nonce }: Position,
    added: readonly NewEntry[],
    { limit, ...options }: Pick<CallOptions, 'onRepeat'> & { limit?: number | undefined } = {},
  ): Promise<Appended> {
    const entries = added.flatMap(({ text = '', ...entry }) => [
      entry.nonce,
      entry.kind,
      entry.content,
      text,
    ])
    const args = [String(position), nonce, limit === undefined ? '' : String(limit), ...entries]
    return toAppended(await this.#redis.call('append', this.#keys, args, options))
  }

  /** Returns the entries after a position, even when nothing can be appended. */
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

  /**
   * Records that the store lacks a text that the world was loaded from, so that no other server loads the world either.
   * Returns the reason why the world is unavailable; undefined if the text is back.
   */
  async recordMissingText(key: string): Promise<FinalRefusal | undefined> {
    const reply = await this.#redis.call('lack', this.#keys, [key])
    return reply[0] === 'ok' ? undefined : toFinalRefusal(reply)
  }

  /**
   * Makes a snapshot the current one, and drops data that neither it nor a later entry needs. Does nothing if the store
   * already has this snapshot or a later one. `texts` are the digests of the texts that the snapshot needs.
   */
  async commit(
    { position, nonce }: Position,
    snapshot: Buffer,
    texts: Iterable<string>,
  ): Promise<void> {
    const args = [String(position), nonce, snapshot, ...texts]
    await this.#bulk.call('commit', this.#keys, args)
  }

  /** Stores the review of the client up to a position, if the world is a partner's. */
  async noteReview(
    { position }: Pick<Position, 'position'>,
    summary: ReviewSummary,
  ): Promise<void> {
    const args = [String(position), JSON.stringify(summary), isFailure(summary) ? '1' : '']
    await this.#redis.call('note_review', this.#partnerKeys, args)
  }

  /** Returns facts about the world without loading it; undefined if the world is gone. */
  async describe(): Promise<WorldDescription | undefined> {
    const [status, creation, isExpired] = await this.#redis.call('describe', this.#keys, [])
    if (status !== 'ok') return undefined
    return { creation: String(creation), isExpired: isExpired === 1 }
  }

  /** Removes all data of the world if `list` contains it; returns true if it did. */
  async drop(list: string): Promise<boolean> {
    let isRepeated = false
    const onRepeat = () => void (isRepeated = true)
    const [status] = await this.#redis.call('drop', this.#keys, [list], { onRepeat })
    return status === 'ok' || isRepeated
  }
}

function toFinalRefusal([refusal, damage]: readonly unknown[]): FinalRefusal {
  return { refusal: refusal as FinalRefusal['refusal'], damage: String(damage) }
}

function toAppended(reply: unknown[]): Appended {
  const [status, nowMs, entries, refused, logBytes, textsBytes, maximumBytes] = reply
  if (status === 'lost') return { refusal: status }
  if (status !== 'ok') return toFinalRefusal(reply)
  return {
    nowMs: Number(nowMs),
    entries: toEntries(entries as string[]),
    refused: toRefused(refused as string[]),
    logBytes: Number(logBytes ?? 0),
    textsBytes: Number(textsBytes ?? 0),
    maximumBytes: Number(maximumBytes ?? 0),
  }
}

/** Parses pairs of a nonce and a reason. */
function toRefused(values: readonly string[]): RefusedEntry[] {
  return values.flatMap((nonce, at) =>
    at % 2 === 0 ? [{ nonce, reason: values[at + 1] as RefusedEntry['reason'] }] : [],
  )
}

/** Parses groups of a nonce, a time and a content. */
function toEntries(values: readonly string[]): StoredEntry[] {
  const entries: StoredEntry[] = []
  for (let at = 0; at < values.length; at += 3) {
    const [nonce = '', atMs, content = ''] = values.slice(at, at + 3)
    entries.push({ nonce, atMs: Number(atMs), content })
  }
  return entries
}

/**
 * Reason why a store has no room for a change: the world has reached the size that its host allows, or the store is
 * nearly full.
 */
export type Fullness = 'world_full' | 'store_full'

/** Error for a change for which a store has no room. Requests to the API always have room. */
export class StoreFullError extends CommandError {
  /** Maximum size of the world in the store, in bytes. */
  readonly maximumBytes: number

  constructor(fullness: Fullness, maximumBytes: number) {
    const message =
      fullness === 'world_full'
        ? `A world takes at most ${maximumBytes} bytes of the store on this host, and this would be more. Reset it, clear its journal or delete records, or ask its operator for more.`
        : 'The store of this host is nearly full: it only takes requests to the API, and changes that delete something. Reset this world, clear its journal or delete records, or ask its operator for more.'
    super('insufficient_memory', [{ path: [], message }])
    this.maximumBytes = maximumBytes
  }
}

export function isFullness(status: unknown): status is Fullness {
  return status === 'world_full' || status === 'store_full'
}
