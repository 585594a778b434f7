import { readWorldsOptions } from '../sandbox/worlds-options.ts'
import type { OpenPartners } from '../store/open-partners.ts'
import { StoreError } from '../store/store-error.ts'
import { CommandError } from '../world/command-error.ts'
import { OptionError } from '../world/options/option-error.ts'
import { loadOptional, REDIS } from './optional-packages.ts'

/**
 * Runs `work` with the partners of a store. `url` must be valid.
 *
 * @throws OptionError if the package `redis` is not installed, or if the store or a command refuses, and any other error of `work`
 */
export async function withPartners<Result>(
  url: string,
  work: (partners: OpenPartners['partners']) => Promise<Result>,
): Promise<Result> {
  const { openPartners } = await loadOptional(() => import('../store/open-partners.ts'), REDIS)
  try {
    const { partners, close } = await openPartners({ ...(await readWorldsOptions({})), url })
    return await work(partners).finally(close)
  } catch (error) {
    if (error instanceof StoreError) throw new OptionError(`--store: ${error.message}`)
    if (error instanceof CommandError) throw new OptionError(error.message)
    throw error
  }
}
