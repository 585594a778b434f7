import { OptionError } from '../world/options/option-error.ts'
import { parseOption, Switch } from '../world/options/parse-option.ts'
import { errorCodeOf } from './file-errors.ts'
import type { Metrics } from './metrics.ts'
import type { ServerOptions } from './server-options.ts'

/**
 * Loads a module that depends on an optional package.
 *
 * @throws OptionError if the package is not installed
 */
export async function loadOptional<Module>(
  load: () => Promise<Module>,
  { flag, name }: { flag: string; name: string },
): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    if (errorCodeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new OptionError(
      `--${flag}: The package ${name} is not installed. Install it beside seo-sandbox: npm install ${name}`,
    )
  }
}

/** The option for a store, and the package that it requires. */
export const REDIS = { flag: 'store', name: 'redis' }

/**
 * Loads the metrics; returns undefined if they are off.
 *
 * @throws OptionError if metrics are on, but `prom-client` is not installed, or the control API is off
 */
export async function openMetrics({
  metrics = false,
  control = true,
}: Pick<ServerOptions, 'metrics' | 'control'>): Promise<Metrics | undefined> {
  if (!parseOption(Switch, metrics, 'metrics')) return undefined
  if (!parseOption(Switch, control, 'control')) {
    throw new OptionError(
      '--metrics: Metrics are a route of the control API, which --no-control turns off. Leave one of them out.',
    )
  }
  const loaded = await loadOptional(() => import('./metrics.ts'), {
    flag: 'metrics',
    name: 'prom-client',
  })
  return new loaded.Metrics()
}
