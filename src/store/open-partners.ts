import { randomUUID } from 'node:crypto'
import { DEFAULT_WORLD } from '../world/worlds.ts'
import type { Creation } from './creation.ts'
import { createLogFunctions } from './log-functions.ts'
import { Partners } from './partners.ts'
import { Redis } from './redis.ts'
import type { StoreHostOptions } from './store-host.ts'
import { StoredInputs } from './stored-inputs.ts'
import { WorldCreator } from './world-creator.ts'
import { WorldLog } from './world-log.ts'

type PartnersOptions = Pick<
  StoreHostOptions,
  'url' | 'base' | 'readSeed' | 'createSecret' | 'stated'
>

/** The partners of a store, to somebody who serves none of its worlds. */
export interface OpenPartners {
  partners: Partners
  close: () => Promise<void>
}

/**
 * Connects to a store. What is not said of a partner's world is as in its default one, or as the options say where it has none
 * yet.
 *
 * @throws OptionError where there is no store
 */
export async function openPartners({ url, ...options }: PartnersOptions): Promise<OpenPartners> {
  const redis = await Redis.open(url, createLogFunctions())
  const close = (): Promise<void> => redis.close()
  try {
    const inputs = new StoredInputs(redis)
    const logOf = (world: string): WorldLog => new WorldLog(world, { redis, bulk: redis })
    const found = await logOf(DEFAULT_WORLD).describe()
    const base = found ? await asCreated(JSON.parse(found.creation) as Creation) : options.base
    const context = { redis, inputs, createNonce: randomUUID, logOf }
    const creator = new WorldCreator({ ...options, base }, context)
    const drop = (world: string): Promise<void> => creator.drop(world)
    return { partners: new Partners({ redis, creator, drop }), close }

    async function asCreated(creation: Creation): Promise<PartnersOptions['base']> {
      const { seed, settings, journal_size: journalSize } = creation
      return { ...options.base, seed: await inputs.seed(seed), settings, journalSize }
    }
  } catch (error) {
    await close()
    throw error
  }
}
