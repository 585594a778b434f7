import { isFailure } from '../review/verdict.ts'
import { CommandError } from '../world/command-error.ts'
import type { ReviewSummary } from '../world/hosted-worlds.ts'
import type { CallOptions, Redis } from './redis.ts'
import { keysOf } from './store-keys.ts'

/** A place in a log: the position of an entry, and the nonce that identifies it. */
export interface Position {
  position: number
  nonce: string
}

/** Where a replica stands: the last entry that it has applied, or the creation, with its time in epoch milliseconds. */
export type AppliedPosition = Position & { atMs: number }

/** An entry as it is sent to Redis. */
export interface NewEntry {
  nonce: string
  /** A `removal` is a change that is accepted even where the world has no room; an `end` always is, and it is not counted. */
  kind: 'request' | 'change' | 'removal' | 'end'
  content: string
  /** The digest of the text that it loads. */
  text?: string | undefined
}

/** An entry as Redis returns it. */
export interface KeptEntry {
  nonce: string
  /** When it was appended, by the clock of Redis in epoch milliseconds. */
  atMs: number
  content: string
}

/** An entry that the host of the world refuses. */
export interface RefusedEntry {
  nonce: string
  /**
   * `expired`: the world has expired, and can only be read. `too_many_requests`: too many in this second. `too_late`: its text
   * is no longer kept.
   */
  reason: 'expired' | 'too_many_requests' | 'too_late' | Fullness
}

/** Why a replica can't have a world: it is gone, a newer release continues it, or a part of it was lost. */
export interface FinalRefusal {
  refusal: 'missing' | 'newer' | 'damaged'
  /** What was lost. */
  damage?: string
}

/** What was appended to a log, and how large it is now. */
export interface Took {
  refused: RefusedEntry[]
  /** What the log, and the texts that were loaded since the world was created, take in Redis; 0 where nothing was appended. */
  logBytes: number
  textsBytes: number
  /** How many bytes the world may take, where some were refused for that. */
  maximumBytes: number
}

/** `lost`: the log no longer holds the position of the replica, which has to load the world again. */
export type Appended =
  | ({ nowMs: number; entries: KeptEntry[] } & Took)
  | FinalRefusal
  | { refusal: 'lost' }

/** What a replica loads a world from. */
export interface OpenedLog {
  nowMs: number
  format: number
  /** How the world was created: a `Creation` as JSON. */
  creation: string
  /** Where it continues: at its snapshot, or where it was created. */
  from: AppliedPosition
  /** null where it has none yet. */
  snapshot: Buffer | null
  /** The entries after that. */
  entries: KeptEntry[]
}

/** What is known about a world without loading it. */
interface WorldDescription {
  creation: string
  /** Whether it has expired. */
  isExpired: boolean
}

/** The log of a world in Redis, with its snapshot. Every method throws StoreError. */
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
   * Appends entries that the log doesn't hold yet, at most `limit` a second, and returns those that others have appended after a
   * position.
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

  /**
   * Notes that the store lacks a text that the world was loaded from, so that no other server continues it either. Returns why
   * none can; undefined where the text is there again.
   */
  async lack(key: string): Promise<FinalRefusal | undefined> {
    const reply = await this.#redis.call('lack', this.#keys, [key])
    return reply[0] === 'ok' ? undefined : toFinalRefusal(reply)
  }

  /**
   * Makes a snapshot the current one, and drops what neither it, which needs these texts, nor a later entry needs; nothing
   * happens where a later one is current.
   */
  async commit(
    { position, nonce }: Position,
    snapshot: Buffer,
    texts: Iterable<string>,
  ): Promise<void> {
    const args = [String(position), nonce, snapshot, ...texts]
    await this.#bulk.call('commit', this.#keys, args)
  }

  /** Keeps what the review of the client says up to a position, where the world is a partner's. */
  async noteReview(
    { position }: Pick<Position, 'position'>,
    summary: ReviewSummary,
  ): Promise<void> {
    const args = [String(position), JSON.stringify(summary), isFailure(summary) ? '1' : '']
    await this.#redis.call('note_review', this.#partnerKeys, args)
  }

  /** undefined where it is gone. */
  async describe(): Promise<WorldDescription | undefined> {
    const [status, creation, isExpired] = await this.#redis.call('describe', this.#keys, [])
    if (status !== 'ok') return undefined
    return { creation: String(creation), isExpired: isExpired === 1 }
  }

  /** Removes everything that belongs to the world, where a list has it; returns whether it had. */
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

/** Why a store has no room for a change: the world takes as much as its host allows, or the store is nearly full. */
export type Fullness = 'world_full' | 'store_full'

/** A change for which a store has no room. Requests of the API always have it. */
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
