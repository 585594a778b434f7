import { OptionError } from '../world/option-error.ts'

const MISSING = 'ERR_MODULE_NOT_FOUND'

/** Loads what needs the client of Redis, which is installed only where there is a store. @throws OptionError */
export async function withClient<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === MISSING
    if (!isMissing) throw error
    throw new OptionError(
      '--store: The package redis is not installed. Install it beside seo-sandbox: npm install redis',
    )
  }
}
