import { OptionError } from '../world/options/option-error.ts'
import type { ServeSettings } from './serve-options.ts'
import type { FixtureWatch } from './watch.ts'

/**
 * The watch that `--watch` asks for; undefined without it. Open it before the fixtures are read, so that no change
 * between reading and watching is missed.
 *
 * @throws OptionError
 */
export async function openWatch({
  watch,
  fixtures,
}: Pick<ServeSettings, 'watch' | 'fixtures'>): Promise<FixtureWatch | undefined> {
  if (watch !== true) return undefined
  if (!fixtures) {
    throw new OptionError('--watch: There is no fixture to watch. Name one with --fixtures.')
  }
  const { watchFixtures } = await import('./watch.ts')
  return watchFixtures(fixtures)
}
