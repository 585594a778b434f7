import { OptionError } from '../world/options/option-error.ts'
import { parseOption, Switch } from '../world/options/parse-option.ts'
import { loadOptional } from './load-optional.ts'
import type { Metrics } from './metrics.ts'
import type { ServerOptions } from './server-options.ts'

/**
 * The metrics, loaded with their package only where they are on; undefined where they are off.
 *
 * @throws OptionError
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
