import { OptionError } from '../world/options/option-error.ts'
import { codeOf } from './file-errors.ts'

/**
 * Loads a module that needs a package which users install themselves.
 *
 * @throws OptionError where it is not installed
 */
export async function loadOptional<Module>(
  load: () => Promise<Module>,
  { flag, name }: { flag: string; name: string },
): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    if (codeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new OptionError(
      `--${flag}: The package ${name} is not installed. Install it beside seo-sandbox: npm install ${name}`,
    )
  }
}

/** The client of a store. */
export const REDIS = { flag: 'store', name: 'redis' }
