import { printJson, colorsFor, formatError } from './print.ts'
import { count } from '../wording/count.ts'
import { COLLECTION_NAMES, SINGULAR } from '../contract/collection-facts.ts'
import type { Seed } from '../fixtures/seed.ts'
import { withoutControls } from '../contract/text.ts'
import { countProblems, FixtureError, formatProblem } from '../fixtures/fixture-error.ts'
import type { FixtureProblem } from '../fixtures/fixture-error.ts'
import { loadReadable } from '../fixtures/load-fixtures.ts'
import { parseFixtures } from '../fixtures/parse-fixture.ts'
import { OptionError } from '../world/options/option-error.ts'
import { withProgress, createProgress } from './command-progress.ts'
import { readSettings } from './read-settings.ts'

const VALID = 0
const INVALID = 1

/**
 * `seo-sandbox validate`: checks fixtures and returns the exit code.
 *
 * @throws OptionError if a path is empty, if neither the command line nor the settings name fixtures, or if those settings are
 * invalid.
 */
export async function validate(words: string[], { json }: { json: boolean }): Promise<number> {
  if (words.includes('')) throw new OptionError('A path is empty. Write it, or leave it out.')
  const paths = words.length > 0 ? words : await readConfiguredPaths()
  const checked = await check(paths)
  const problems = Array.isArray(checked) ? checked : []
  if (json) printJson(problems.map(toJson), 2)
  else if (Array.isArray(checked)) process.stderr.write(formatProblems(checked))
  else process.stdout.write(describeValid(paths, checked))
  return problems.length > 0 ? INVALID : VALID
}

async function readConfiguredPaths(): Promise<string[]> {
  const { settings } = await readSettings({})
  const { fixtures } = settings
  if (fixtures) return fixtures
  throw new OptionError(
    'There is nothing to validate. Name a fixture file or folder, like seo-sandbox validate agency.yaml.',
  )
}

async function check(paths: string[]): Promise<Seed | FixtureProblem[]> {
  const progress = createProgress()
  try {
    const { files, unreadable } = await loadReadable(paths)
    if (files.length === 0) return unreadable
    return await parseFixtures(withProgress({ files }, progress), undefined, unreadable)
  } catch (error) {
    if (error instanceof FixtureError) return [...error.problems]
    throw error
  } finally {
    progress.end()
  }
}

/** Returns a problem without `more`, and with null for a missing line or column, so that all problems have the same fields. */
function toJson({ file, line, column, path, message }: FixtureProblem) {
  return { file, line: line ?? null, column: column ?? null, path, message }
}

function formatProblems(problems: FixtureProblem[]): string {
  const { bold } = colorsFor(process.stderr)
  const entries = problems.map((problem) => {
    const [place = '', ...sentence] = formatProblem(problem).split('\n')
    return [bold(place), ...sentence].join('\n')
  })
  const files = new Set(problems.map(({ file }) => file)).size
  const sum = `${count(countProblems(problems), 'problem')} in ${count(files, 'file')}.`
  return `${entries.join('\n')}\n\n${formatError(sum, 'docs/fixtures.md')}`
}

const LISTED_PATHS = 3

function describeValid(paths: string[], { records }: Seed): string {
  const counts = COLLECTION_NAMES.filter((name) => records[name].length > 0).map((name) =>
    count(records[name].length, SINGULAR[name], name),
  )
  const verdict = paths.length === 1 ? 'is valid' : 'are valid together'
  const content = counts.length > 0 ? list(counts) : 'no records yet'
  const { green } = colorsFor(process.stdout)
  const named = paths.length > LISTED_PATHS ? `${paths.length} files and folders` : list(paths)
  return `${withoutControls(named)} ${green(verdict)}: ${content}.\n`
}

function list(items: readonly string[]): string {
  return new Intl.ListFormat('en').format(items)
}
