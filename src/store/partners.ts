import { toDateTime } from '../contract/time.ts'
import { CommandError, invalidCommand, recordNotFound } from '../world/command-error.ts'
import type { IsolatedWorldSettings } from '../world/isolated-worlds.ts'
import { addDuration, parseDuration } from '../world/duration.ts'
import { toSentLink, USUAL_LIFETIME } from '../world/hosted-worlds.ts'
import type {
  ListPage,
  Invitation,
  OwnPartner,
  Partner,
  PartnerFilter,
  PartnerKey,
  PartnerTerm,
  SentLink,
} from '../world/hosted-worlds.ts'
import type { LogFunctionName } from './log-functions.ts'
import { MAXIMUM_KEYS } from './host-functions.ts'
import type { Redis } from './redis.ts'
import { toRefusal } from './store-error.ts'
import { nameTaken } from './world-creator.ts'
import type { WorldCreator } from './world-creator.ts'
import { createCode, createKey, digestOf, keyIdOf, worldOfCode, worldOfKey } from './world-key.ts'
import { FAILED_PARTNERS, keysOf, PARTNER_NAMES, PARTNERS, PARTNERS_BY_NAME } from './store-keys.ts'
import { WorldList } from './world-list.ts'
import type { ListedWorld } from './world-list.ts'

/** Names of the Redis keys that hold a world and its partner. */
const KEYS = ['log', 'world', 'snapshot', 'partner']

/** Approximate number of names read per call, which Redis takes as a hint. */
const NAMES_PER_CALL = 1000

/** Prefix of the hash field for a key. */
const KEY_FIELD = 'key:'

interface OpenedWorld {
  world: string
  isExpired: boolean
  /** True if the use of the key must be recorded, because none was recorded in the last minute. */
  isUseDue: boolean
}

/** A key received in exchange for the code of a link. */
interface ClaimedKey {
  world: string
  key: string
  expires_at: string
}

interface PartnersContext {
  redis: Redis
  /** The connection for large values, so that other calls don't wait for them. */
  bulk: Redis
  creator: Pick<WorldCreator, 'prepareIsolated'>
  /** Removes a world with all its data if the list contains it; returns true if it does. */
  drop: (world: string, list: string) => Promise<boolean>
}

/**
 * The partners of a store. The id of a partner is that of its world. Worlds of partners expire by the clock of Redis.
 * Every method may throw StoreError.
 */
export class Partners {
  readonly #context: PartnersContext
  readonly #list: WorldList<Partner>
  /** The partners whose client fails its review. */
  readonly #failed: WorldList<Partner>

  constructor(context: PartnersContext) {
    this.#context = context
    this.#list = new WorldList(PARTNERS, context.bulk, toPartner)
    this.#failed = new WorldList(FAILED_PARTNERS, context.bulk, toPartner)
  }

  /** Lists partners, oldest first. A search returns the first matches by name, up to the limit, and no further page. */
  async page({ search, failed = false, ...range }: PartnerFilter = {}): Promise<ListPage<Partner>> {
    const list = failed ? this.#failed : this.#list
    if (search === undefined) return list.page(range)
    const wanted = search.toLowerCase()
    const found = await this.#search((name) => name.includes(wanted))
    const ids = failed ? await this.#failedAmong(found) : found
    return { items: await list.of(ids.slice(0, range.limit)), total: ids.length, next: null }
  }

  /** Returns the ids of the partners whose name in lower case `matches`, sorted by name. */
  async #search(matches: (name: string) => boolean): Promise<string[]> {
    const { redis } = this.#context
    const found = new Map<string, string>()
    let cursor = '0'
    do {
      const args = [PARTNER_NAMES, cursor, 'COUNT', String(NAMES_PER_CALL)]
      const [next, fields] = (await redis.send(['HSCAN', ...args])) as [string, string[]]
      cursor = next
      for (let at = 0; at < fields.length; at += 2) {
        const [id = '', name = ''] = fields.slice(at, at + 2)
        if (matches(name.toLowerCase())) found.set(id, name)
      }
    } while (cursor !== '0')
    return [...found]
      .toSorted(([, one], [, other]) => one.localeCompare(other, 'en'))
      .map(([id]) => id)
  }

  async #failedAmong(ids: readonly string[]): Promise<string[]> {
    const failed = await this.#context.redis.send(['ZRANGE', FAILED_PARTNERS, '0', '-1'])
    const known = new Set(failed as string[])
    return ids.filter((id) => known.has(id))
  }

  /** @throws CommandError if there is no such partner */
  async get(id: string): Promise<Partner> {
    const [found] = await this.#list.of([id])
    if (found) return found
    throw partnerNotFound(id)
  }

  /** Returns the partner of a world; undefined if it has none. */
  async of(world: string): Promise<OwnPartner | undefined> {
    const { redis } = this.#context
    // Every open page of a partner polls this, so it bypasses the list, which makes one call at a time.
    const [name, expiresMs] = await Promise.all([
      redis.send(['HGET', PARTNER_NAMES, world]),
      redis.send(['HGET', keysOf(world, ['world']).join(), 'expires_ms']),
    ])
    if (typeof name !== 'string' || expiresMs === null) return undefined
    return { name, world, expires_at: toDateTime(Number(expiresMs)) }
  }

  /** Returns the partners with this name or id. */
  async find(who: string): Promise<Partner[]> {
    const range = [`[${who}\n`, `(${who}\u000B`, 'BYLEX']
    const found = await this.#context.redis.send(['ZRANGE', PARTNERS_BY_NAME, ...range])
    const ids = (found as string[]).map((member) => member.slice(who.length + 1))
    return this.#list.of([...new Set([who, ...ids])])
  }

  /**
   * Creates a world for a partner, with a key and a link. The link begins with `origin`.
   *
   * @throws CommandError, and the errors of fixtures and options
   */
  async invite(
    settings: IsolatedWorldSettings,
    { name, origin, ...term }: PartnerTerm & { name: string; origin: string },
  ): Promise<Invitation> {
    const { creator } = this.#context
    // Before the function of the store, which compares names exactly, because Lua has no case of letters beyond ASCII.
    const lower = name.toLowerCase()
    const [other] = await this.#list.of(await this.#search((taken) => taken === lower))
    if (other) throw nameTaken(name, other.id)
    const { id, tokens, create } = await creator.prepareIsolated(settings)
    const [key, code] = [createKey(id), createCode(id)]
    const { nowMs, expiresMs, goneMs, grace } = await this.#end(term, USUAL_LIFETIME)
    const digests = [digestOf(key), digestOf(code)]
    const end = [String(expiresMs), String(goneMs)]
    await create([name, String(nowMs), grace, ...digests, ...end])
    const sent = toSentLink({ name, expires_at: toDateTime(expiresMs) }, { origin, code })
    return { id, name, world: id, tokens, key, ...sent }
  }

  /**
   * Creates a link that begins with `origin` and replaces the partner's last link. Keys stay valid.
   *
   * @throws CommandError if there is no such partner, or its world has expired
   */
  async createLink(id: string, { origin }: { origin: string }): Promise<SentLink> {
    const code = createCode(id)
    const [status] = await this.#call('create_link', id, [digestOf(code)])
    if (status === 'missing') throw partnerNotFound(id)
    if (status === 'expired') throw linkExpired(id)
    return toSentLink(await this.get(id), { origin, code, isAnother: true })
  }

  /**
   * Begins a new term of a partner's world, even of an expired one. With `origin`, also creates a link that replaces
   * the last link.
   *
   * @throws CommandError if there is no such partner
   */
  async renew(
    id: string,
    { origin, ...term }: PartnerTerm & { origin?: string | undefined },
  ): Promise<Partner & Partial<SentLink>> {
    const found = await this.get(id)
    // A damaged world may have lost its grace period; the default replaces it.
    const { grace, expiresMs, goneMs } = await this.#end(term, found.grace || USUAL_LIFETIME)
    const args = [grace, String(expiresMs), String(goneMs)]
    const [status] = await this.#call('renew', id, args)
    if (status !== 'ok') throw partnerNotFound(id)
    const sent = origin === undefined ? undefined : await this.createLink(id, { origin })
    return { ...(await this.get(id)), ...sent }
  }

  /** Drops a partner's world; its tokens and keys become unknown. @throws CommandError if there is no such partner */
  async revoke(id: string): Promise<void> {
    if (!(await this.#context.drop(id, PARTNERS))) throw partnerNotFound(id)
  }

  /** Returns the keys of a partner's world, oldest first. @throws CommandError if there is no such partner */
  async keys(id: string): Promise<PartnerKey[]> {
    return (await this.#keys(id)).map(({ digest, createdMs, usedMs }) => ({
      id: keyIdOf(digest),
      created_at: toDateTime(createdMs),
      last_used_at: usedMs === undefined ? null : toDateTime(usedMs),
    }))
  }

  /**
   * Creates a key for a partner's world.
   *
   * @throws CommandError if there is no such partner, or its world already has the maximum number of keys
   */
  async createKey(id: string): Promise<{ id: string; key: string }> {
    const key = createKey(id)
    const digest = digestOf(key)
    const [status] = await this.#call('create_key', id, [digest])
    if (status === 'missing') throw partnerNotFound(id)
    if (status === 'too_many_keys') throw tooManyKeys(id)
    return { id: keyIdOf(digest), key }
  }

  /**
   * Revokes a key of a partner's world; `key` is its id, or the key itself.
   *
   * @throws CommandError if there is no such partner or key
   */
  async revokeKey(id: string, key: string): Promise<void> {
    const wanted = worldOfKey(key) === undefined ? key : keyIdOf(digestOf(key))
    const found = (await this.#keys(id)).find(({ digest }) => keyIdOf(digest) === wanted)
    if (!found) throw keyNotFound(id)
    await this.#context.redis.send(['HDEL', partnerKey(id), KEY_FIELD + found.digest])
  }

  async #keys(id: string) {
    const reply = await this.#context.redis.send(['HGETALL', partnerKey(id)])
    const fields = Object.entries(reply as Record<string, string>)
    if (fields.length === 0) throw partnerNotFound(id)
    const keys = fields.flatMap(([field, times]) => {
      if (!field.startsWith(KEY_FIELD)) return []
      const [createdMs = 0, usedMs] = times.split(' ').map(Number)
      return [{ digest: field.slice(KEY_FIELD.length), createdMs, usedMs }]
    })
    return keys.toSorted((one, other) => one.createdMs - other.createdMs)
  }

  /**
   * Exchanges the code of a link for a key, a single time. Returns `used` or `expired` if a known code can no longer be
   * exchanged, and undefined for an unknown code.
   *
   * @throws CommandError if the world already has the maximum number of keys
   */
  async claim(code: string): Promise<ClaimedKey | 'used' | 'expired' | undefined> {
    const world = worldOfCode(code)
    if (world === undefined) return undefined
    const key = createKey(world)
    const [status, expiresMs] = await this.#call('claim', world, [digestOf(code), digestOf(key)])
    if (status === 'too_many_keys') throw tooManyKeys(world)
    if (status === 'used' || status === 'expired') return status
    if (status !== 'ok') return undefined
    return { world, key, expires_at: toDateTime(Number(expiresMs)) }
  }

  /** Returns the world that a key opens; undefined if it opens none. */
  async worldOf(key: string): Promise<OpenedWorld | undefined> {
    const world = worldOfKey(key)
    if (world === undefined) return undefined
    const [status, isDue] = await this.#call('check_key', world, [digestOf(key)])
    if (status === 'missing') return undefined
    return { world, isExpired: status === 'expired', isUseDue: isDue === 1 }
  }

  /** Records the current time as the last use of a key. */
  async noteUse(key: string): Promise<void> {
    const world = worldOfKey(key) ?? ''
    // If the store accepts no changes, the world can still be read without this record.
    await this.#call('note_use', world, [digestOf(key)]).catch(toRefusal)
  }

  /**
   * Returns the times at which a term that begins now expires and its world is removed, by the clock of Redis, with that clock's
   * time and the grace period (`usual` if the term states none).
   */
  async #end({ expires, grace: requested }: PartnerTerm, usual: string) {
    const grace = requested ?? usual
    const nowMs = await this.#context.redis.now()
    const expiresMs = later(nowMs, expires)
    return { nowMs, expiresMs, goneMs: later(expiresMs, grace), grace }
  }

  #call(name: LogFunctionName, world: string, args: readonly string[]): Promise<unknown[]> {
    return this.#context.redis.call(name, keysOf(world, KEYS), args)
  }
}

function linkExpired(id: string): CommandError {
  const message = `World ${id} has expired: renew it first, with a link.`
  return invalidCommand({ path: [], message })
}

function toPartner({ id, partner, ...listed }: ListedWorld): Partner {
  const { createdMs, usedMs, requests, bytes, maximumBytes, damaged } = listed
  return {
    id,
    name: partner.name,
    world: id,
    created_at: toDateTime(createdMs),
    expires_at: toDateTime(partner.expiresMs),
    grace: partner.grace,
    gone_at: toDateTime(partner.goneMs),
    claimed: !partner.isOpen,
    requests,
    last_used_at: toDateTime(usedMs),
    bytes,
    maximum_bytes: maximumBytes,
    review: partner.review,
    ...(damaged !== undefined && { damaged }),
  }
}

function later(ms: number, text: string): number {
  const duration = parseDuration(text)
  if (duration) return addDuration(ms, duration)
  throw new RangeError(`${text} is not a duration.`)
}

function partnerKey(world: string): string {
  return keysOf(world, ['partner']).join()
}

function tooManyKeys(id: string): CommandError {
  const message = `World ${id} has ${MAXIMUM_KEYS} keys, which is the most: revoke one, or have its operator do so; seo-sandbox partners keys ${id} lists them.`
  return invalidCommand({ path: [], message })
}

function keyNotFound(id: string): CommandError {
  return recordNotFound(`World ${id} has no such key: seo-sandbox partners keys ${id} lists them.`)
}

function partnerNotFound(id: string): CommandError {
  return recordNotFound(
    `There is no partner ${id}: it was revoked, or it expired, and the time to renew it has passed.`,
  )
}

/** True for the error of a world that does not exist. */
export function isGone(error: unknown): boolean {
  return error instanceof CommandError && error.code === 'world_not_found'
}
