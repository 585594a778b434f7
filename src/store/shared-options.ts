import { randomBytes, scryptSync } from 'node:crypto'
import { OptionError } from '../world/options/option-error.ts'
import type { Redis } from './redis.ts'
import { toRefusal } from './store-error.ts'
import { LIMITS_KEY, PREFIX } from './store-keys.ts'
import { DEFAULT_LIMITS } from './store-options.ts'
import type { SharedLimits } from './store-options.ts'

/** Redis key of the salt and the digest of the admin key with which a server of the store was last started. */
const ADMIN_KEY = `${PREFIX}admin-key`

/**
 * Returns the limits of a store. Sets them if the store has none yet and accepts changes.
 *
 * @throws OptionError if the requested limits differ from those of the store, StoreError
 */
export async function agreeOnLimits(
  redis: Redis,
  requested: Partial<SharedLimits>,
): Promise<SharedLimits> {
  const proposed: SharedLimits = { ...DEFAULT_LIMITS, ...requested }
  const create = ['SET', LIMITS_KEY, JSON.stringify(proposed), 'NX', 'GET']
  const found =
    (await redis.send(['GET', LIMITS_KEY])) ?? (await redis.send(create).catch(toRefusal))
  if (typeof found !== 'string') return proposed
  const limits: SharedLimits = { ...DEFAULT_LIMITS, ...(JSON.parse(found) as SharedLimits) }
  const names = (Object.keys(requested) as (keyof SharedLimits)[]).filter(
    (name) => limits[name] !== proposed[name],
  )
  if (names.length === 0) return limits
  const others = names.map((name) => `${name}=${limits[name]}`).join(', ')
  throw new OptionError(
    `--limits: The servers of this store have ${others}. Leave out the differing ones. To change the limits, stop all servers, and DEL ${LIMITS_KEY} in the store.`,
  )
}

/**
 * Stores the digest of a starting server's admin key, unless the store accepts no changes. Returns true if the store had
 * the digest of another key. @throws StoreError
 */
export async function replaceAdminKey(redis: Redis, key: string): Promise<boolean> {
  const before = (await redis.send(['GET', ADMIN_KEY])) as string | null
  const [salt = ''] = (before ?? randomBytes(16).toString('hex')).split(':')
  const salted = `${salt}:${scryptSync(key, salt, 32).toString('hex')}`
  if (before === salted) return false
  await redis.send(['SET', ADMIN_KEY, salted]).catch(toRefusal)
  return before !== null
}
