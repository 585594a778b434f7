import type { ReviewSummary, ListPage, ListRange } from '../world/hosted-worlds.ts'
import type { LogFunctionName } from './log-functions.ts'
import type { Redis } from './redis.ts'

/** A world in a list. Unknown values of a damaged world are empty, 0, or `createdMs`. */
export interface ListedWorld {
  id: string
  /** Time of the creation, or of the invitation for a partner's world, in epoch milliseconds. */
  createdMs: number
  usedMs: number
  requests: number
  bytes: number
  maximumBytes: number
  /** The lost part of the world; undefined if nothing was lost. */
  damaged?: string
  /** Without a partner, strings are empty, `isOpen` is false, both times equal `createdMs`, and the review is null. */
  partner: {
    name: string
    expiresMs: number
    goneMs: number
    grace: string
    isOpen: boolean
    review: ReviewSummary | null
  }
}

type Value = string | number | null

/** Maximum number of worlds described per call. */
const WORLDS_PER_CALL = 25

/**
 * A list of worlds in the store. It is read in parts, so that no other call waits long. Every method may throw
 * StoreError.
 */
export class WorldList<Item> {
  readonly #redis: Redis
  readonly #list: string
  readonly #toItem: (world: ListedWorld) => Item
  /** Settles when the last call has returned. However many readers the list has, it makes one call at a time. */
  #lastCall: Promise<unknown> = Promise.resolve()

  /** `redis` is the connection for large values. */
  constructor(list: string, redis: Redis, toItem: (world: ListedWorld) => Item) {
    this.#list = list
    this.#redis = redis
    this.#toItem = toItem
  }

  /** Returns a page of worlds, oldest first; all of them if the range has no limit. */
  async page({ limit = Infinity, after = '' }: ListRange = {}): Promise<ListPage<Item>> {
    const items: Item[] = []
    for (let next: unknown = after; ;) {
      const count = Math.min(limit - items.length, WORLDS_PER_CALL)
      const reply = await this.#call('page', [String(count), String(next)])
      items.push(...this.#toItems(reply[0]))
      next = reply[2]
      if (next === '' || items.length >= limit)
        return { items, total: Number(reply[1]), next: next === '' ? null : String(next) }
    }
  }

  /** Returns the items of these worlds, and skips worlds that are not in the list. */
  async of(ids: readonly string[]): Promise<Item[]> {
    const items: Item[] = []
    for (let at = 0; at < ids.length; at += WORLDS_PER_CALL) {
      const some = ids.slice(at, at + WORLDS_PER_CALL)
      items.push(...this.#toItems(await this.#call('describe_worlds', some)))
    }
    return items
  }

  #toItems(described: unknown): Item[] {
    const [maximumBytes, ...worlds] = described as [number, ...Value[][]]
    return worlds.map((world) => this.#toItem(toListed(world, maximumBytes)))
  }

  #call(name: LogFunctionName, args: readonly string[]): Promise<unknown[]> {
    const call = this.#lastCall.then(() => this.#redis.call(name, [], [this.#list, ...args]))
    this.#lastCall = call.catch(() => undefined)
    return call
  }
}

function toListed(values: readonly Value[], maximumBytes: number): ListedWorld {
  const [id, listedMs, name, lost, ...known] = values
  const [usedMs, requests, bytes, expiresMs, goneMs, grace, isOpen, review] = known
  return {
    id: String(id),
    createdMs: Number(listedMs),
    usedMs: Number(usedMs ?? listedMs),
    requests: Number(requests ?? 0),
    bytes: Number(bytes ?? 0),
    maximumBytes,
    ...(typeof lost === 'string' && { damaged: lost }),
    partner: {
      name: String(name ?? ''),
      expiresMs: Number(expiresMs ?? listedMs),
      goneMs: Number(goneMs ?? listedMs),
      grace: String(grace ?? ''),
      isOpen: isOpen === 1,
      review: typeof review === 'string' ? (JSON.parse(review) as ReviewSummary) : null,
    },
  }
}
