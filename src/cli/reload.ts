import { isReplaced, REPLACED } from '../adapters/fail-with.ts'
import { toShownJson, withoutControls } from '../contract/text.ts'
import { FixtureError } from '../fixtures/fixture-error.ts'
import { loadFixtures } from '../fixtures/load-fixtures.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { count } from '../wording/count.ts'
import { OptionError } from '../world/options/option-error.ts'
import { lengthOf, createProgress } from './command-progress.ts'
import { printJson, colorsFor } from './print.ts'
import type { ServeSettings } from './serve-options.ts'
import type { FixtureWatch } from './watch.ts'

/** YAML with this many characters takes about a second to parse. */
const LONG_TEXT = 2_000_000

/** Reloads the fixtures from disk into the world, and reports the result. Invalid fixtures leave the world unchanged. */
export async function reload(
  sandbox: Sandbox,
  paths: readonly string[],
  settings: Pick<ServeSettings, 'json' | 'quiet'>,
): Promise<void> {
  const progress = createProgress()
  try {
    const { files } = await loadFixtures(...paths)
    if (lengthOf(files) > LONG_TEXT) progress.announce(`Reloading ${paths.join(', ')}`)
    await sandbox.command({ type: 'fixtures.load', fixtures: { files } })
  } catch (error) {
    const problem = { file: paths.join(', '), path: '', message: REPLACED }
    const failure = isReplaced(error) ? new FixtureError([problem]) : error
    if (!(failure instanceof FixtureError)) throw failure
    reportFailure(failure, settings)
    return
  } finally {
    progress.end()
  }
  if (settings.quiet !== true) reportSuccess(sandbox, paths, settings)
}

function reportSuccess(
  { world }: Sandbox,
  fixtures: readonly string[],
  { json }: Pick<ServeSettings, 'json'>,
): void {
  const { length: projects } = world.records.all('projects')
  const { green } = colorsFor(process.stdout)
  const line = json
    ? toShownJson({ event: 'reloaded', fixtures, projects })
    : `  ${green('Reloaded')} ${withoutControls(fixtures.join(', '))}: ${count(projects, 'project')}`
  process.stdout.write(`${line}\n`)
}

function reportFailure(
  { problems, message }: FixtureError,
  { json, quiet }: Pick<ServeSettings, 'json' | 'quiet'>,
): void {
  if (json && quiet !== true) {
    printJson({ event: 'reload_failed', problems })
    return
  }
  const { red } = colorsFor(process.stderr)
  process.stderr.write(`${red('error')} ${message}\nThe world is unchanged.\n`)
}

/**
 * Starts to watch the fixtures; undefined without `--watch`. Call this before reading the fixtures, so that no change in
 * between is missed.
 *
 * @throws OptionError if there are no fixtures, or if they cannot be watched
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
