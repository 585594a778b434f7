import { randomUUID } from 'node:crypto'
import { DEFAULT_WORLD } from '../world/worlds.ts'
import type { Creation } from './world-creator.ts'
import { createLogFunctions } from './log-functions.ts'
import { Partners } from './partners.ts'
import { Redis } from './redis.ts'
import type { StoreBackendOptions } from './store-backend.ts'
import { StoredInputs } from './stored-inputs.ts'
import { asCreated, WorldCreator } from './world-creator.ts'
import { WorldLog } from './world-log.ts'

type PartnersOptions = Pick<
  StoreBackendOptions,
  'url' | 'base' | 'readSeed' | 'createSecret' | 'stated'
>

/** The partners of a store, for a process that serves none of its worlds. */
export interface OpenPartners {
  partners: Partners
  close: () => Promise<void>
}

/**
 * Connects to a store. Settings omitted for a partner's world come from the store's default world, or from `base` if
 * the store has no default world yet.
 *
 * @throws OptionError if Redis cannot be used, is too old, or might lose worlds, and StoreError
 */
export async function openPartners({ url, ...options }: PartnersOptions): Promise<OpenPartners> {
  const redis = await Redis.open(url, createLogFunctions())
  const close = (): Promise<void> => redis.close()
  try {
    const inputs = new StoredInputs(redis)
    const logOf = (world: string): WorldLog => new WorldLog(world, { redis, bulk: redis })
    const found = await logOf(DEFAULT_WORLD).describe()
    const creation = found && (JSON.parse(found.creation) as Creation)
    const base = creation ? await asCreated(options.base, creation, inputs) : options.base
    const context = { redis, inputs, createNonce: randomUUID, logOf }
    const creator = new WorldCreator({ ...options, base }, context)
    const drop = (world: string, list: string): Promise<boolean> => logOf(world).drop(list)
    return { partners: new Partners({ redis, bulk: redis, creator, drop }), close }
  } catch (error) {
    await close()
    throw error
  }
}
