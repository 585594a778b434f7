import type { ListPage, ListRange } from '../world/list-page.ts'
import type { Redis } from './redis.ts'
import { inParts } from './sweep.ts'

/** What a list has of a world. Of one that is damaged, what is not known is empty, 0, or when it was listed. */
export interface ListedWorld {
  id: string
  /** When it was created, or its partner was invited, in epoch milliseconds. */
  createdMs: number
  usedMs: number
  requests: number
  bytes: number
  maximumBytes: number
  /** What was lost of it; undefined where nothing was. */
  damaged?: string
  partner: { name: string; expiresMs: number; goneMs: number; grace: string; isOpen: boolean }
}

type Value = string | number | null

/** A list of worlds in the store. It is read in parts, so that no other call waits long. Every method throws StoreError. */
export class WorldList {
  readonly #redis: Redis
  readonly #list: string

  /** `redis` is for what is large. */
  constructor(list: string, redis: Redis) {
    this.#list = list
    this.#redis = redis
  }

  /** By when they were listed; all of them where the range has no limit. */
  async page({ limit, after }: ListRange = {}): Promise<ListPage<ListedWorld>> {
    const args = [this.#list, String(limit ?? ''), after ?? '']
    const [total, next, ids] = await this.#redis.call('page', [], args)
    const items = await this.of(ids as string[])
    return { items, total: Number(total), next: next === '' ? null : String(next) }
  }

  /** Those of these worlds that it has. */
  async of(ids: readonly string[]): Promise<ListedWorld[]> {
    const listed: ListedWorld[] = []
    for (const some of inParts(ids)) {
      const reply = await this.#redis.call('describe_worlds', [], [this.#list, ...some])
      const [maximumBytes, ...worlds] = reply as [number, ...Value[][]]
      listed.push(...worlds.map((world) => toListed(world, maximumBytes)))
    }
    return listed
  }
}

function toListed(values: readonly Value[], maximumBytes: number): ListedWorld {
  const [id, listedMs, name, lost, ...known] = values
  const [usedMs, requests, bytes, expiresMs, goneMs, grace, isOpen] = known
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
    },
  }
}
