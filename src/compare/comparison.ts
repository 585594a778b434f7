import { SECTIONS } from '../contract/collection-facts.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { listChanged } from '../contract/policies.ts'
import { API_PREFIX } from '../contract/url.ts'
import { FixtureError } from '../fixtures/fixture-error.ts'
import type { FixtureInput } from '../fixtures/fixture.ts'
import type { FixtureFiles } from '../fixtures/source.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { OptionError } from '../world/options/option-error.ts'
import type { Asker } from './ask.ts'
import { findDifferences, describeType, describeValue } from './differences.ts'
import { Answers, fieldOf, askedRoute, toJsonValue, toRead } from './question.ts'
import type { ServiceAnswer, ServiceRequest } from './question.ts'
import { questionsAbout } from './questions.ts'
import { isId } from '../records/integrity.ts'
import { countRequests } from './plan.ts'
import { listAt, readingRequests } from './reading.ts'
import type { Contents } from './reading.ts'
import { toResults } from './results.ts'
import type { PolicyResult } from './results.ts'
import { searchOptions } from './option-search.ts'
import type { SearchResult, Row } from './option-search.ts'
import { READ_TOKEN, toReadFixture } from './read-fixture.ts'
import type { ReadFixture } from './read-fixture.ts'
import { createTwin } from './twin.ts'
import type { Twin } from './twin.ts'

/** A difference between the service's answer and the sandbox's that no option explains. */
export interface Unexplained {
  path: string
  status: number
  place: string
  /** Section of the specification about the endpoint; `4` for a path that is not an endpoint. */
  section: string
  theirs: string
  ours: string
}

export interface Comparison {
  answers: { equal: number; explained: number; unexplained: number; changed: number }
  policies: PolicyResult[]
  unexplained: Unexplained[]
  /** Options under which a sandbox answers most like the service, by policy. Default options are left out. */
  inForce: Record<string, string>
  /** The fixture read from the service; undefined if the user provided fixtures. */
  read: ReadFixture | undefined
}

interface ComparisonOptions {
  asker: Asker
  /** Answers of an interrupted comparison; empty for a new one. New answers are added to them. */
  answers: Answers
  contents: Contents
  /** Fixtures to compare the answers with. If omitted, a fixture is made from the answers. */
  fixtures?: FixtureFiles | undefined
  /** The base URL of the service, without a trailing slash. */
  origin: string
  /** True to show the values of differences; false to show only their types and sizes. */
  isRaw: boolean
  onAnswer: (answer: ServiceAnswer) => Promise<void>
  onProgress: (done: number, expected: number) => void
}

/**
 * Sends the questions to the service, and compares its answers with those of a sandbox. Returns undefined if the comparison had
 * to stop early.
 */
export async function runComparison(options: ComparisonOptions): Promise<Comparison | undefined> {
  const { answers, contents, asker, fixtures } = options
  // Asked first, so that `tokenIn` throws before any other request if the fixtures have no corresponding token.
  if (!(await askAll([toRead('/me')], options))) return undefined
  const twin =
    fixtures &&
    (await createTwin(fixtures, {
      token: (sandbox) => tokenIn(sandbox, answers),
      origin: options.origin,
      at: answers.all[0]?.at,
    }))
  if (!(await askAll(readingRequests(answers, contents), options))) return undefined
  if (!(await askAll(questionsAbout(answers, contents), options))) return undefined
  let examined = await examine(twin, options)
  const unexplained = examined.found.rows.filter(({ differences }) => differences.size > 0)
  const changed = new Set<ServiceAnswer>()
  for (const { answer } of unexplained) {
    const again = await asker.ask(answer.question)
    if (!again) return undefined
    if (findDifferences(answer, again, describeType).length === 0) continue
    answers.add(again)
    await options.onAnswer(again)
    changed.add(again)
  }
  if (changed.size > 0) {
    // A request that was refused before may now have an answer that leads to more requests.
    if (!(await askAll(readingRequests(answers, contents), options))) return undefined
    examined = await examine(twin, options)
  }
  return toComparison(examined, changed, options)
}

/**
 * Asks the questions that have no answer yet. Iterates lazily, because later questions may depend on earlier answers. Returns
 * false if the comparison had to stop.
 */
async function askAll(
  questions: Iterable<ServiceRequest>,
  { asker, answers, contents, onAnswer, onProgress }: ComparisonOptions,
): Promise<boolean> {
  for (const question of questions) {
    if (answers.has(question)) continue
    const done = answers.all.length
    onProgress(done, Math.max(done, countRequests(listAt('/projects', answers).length, contents)))
    const answer = await asker.ask(question)
    if (!answer) return false
    answers.add(answer)
    await onAnswer(answer)
  }
  return true
}

interface Examined {
  found: SearchResult
  read: ReadFixture | undefined
}

/** Maximum number of repetitions of `searchOptions`, each with more reports assumed to be irregular. */
const MAXIMUM_REPETITIONS = 26

/** Compares the answers with those of `twin`; if it is undefined, with those of a sandbox made from the answers. */
async function examine(
  twin: Twin | undefined,
  { answers, origin }: ComparisonOptions,
): Promise<Examined> {
  if (twin) return { found: searchOptions(twin, answers.all), read: undefined }
  const irregular = new Set<number>()
  for (let round = 0; ; round += 1) {
    const { read, twin: own } = await createTwinOfRead(toReadFixture(answers, irregular), origin)
    const found = searchOptions(own, answers.all)
    const skipped = findSkippedReports(found)
    if (skipped.length === 0 || round === MAXIMUM_REPETITIONS) return { found, read }
    for (const id of skipped) irregular.add(id)
  }
}

/**
 * Creates a sandbox from the fixture that was read. Records that a fixture cannot contain, such as those with a duplicate id,
 * are left out and added to `unknown`.
 */
async function createTwinOfRead(
  read: ReadFixture,
  origin: string,
): Promise<{ read: ReadFixture; twin: Twin }> {
  try {
    return { read, twin: await createTwin(read.fixture, { token: () => READ_TOKEN, origin }) }
  } catch (error) {
    if (!(error instanceof FixtureError)) throw error
    const fixture: Record<string, unknown> = { ...read.fixture }
    const unknown = [...read.unknown]
    const refused = new Set(error.problems.map(({ path }) => /^\w+\[\d+\]/.exec(path)?.[0] ?? ''))
    for (const section of SECTIONS) {
      const records: readonly unknown[] = read.fixture[section] ?? []
      fixture[section] = records.filter((record, index) => {
        if (!refused.delete(`${section}[${index}]`)) return true
        const path = `${API_PREFIX}/${section}/${String(fieldOf(record, 'id'))}`
        unknown.push({ path, place: '/data' })
        return false
      })
    }
    if (refused.size > 0) throw error
    return createTwinOfRead({ ...read, fixture: fixture as FixtureInput, unknown }, origin)
  }
}

/** Returns the ids of reports that the sandbox selects as `latest` under the policies found, but the service does not. */
function findSkippedReports({ rows }: SearchResult): number[] {
  return rows
    .filter(
      ({ answer, differences }) =>
        askedRoute(answer.question)?.operation === 'getLatestReport' &&
        (differences.has('/data/id') || differences.has('status')),
    )
    .map(({ ours }) => fieldOf(fieldOf(toJsonValue(ours.body), 'data'), 'id'))
    .filter((id) => isId(id))
}

/**
 * Returns the bearer value of the fixtures' token that corresponds to the one used for the service.
 *
 * @throws OptionError if there is none
 */
function tokenIn({ world }: Sandbox, answers: Answers): string {
  const tokens = world.records.all('tokens')
  const me = answers.bodyOf('/me')
  const found =
    tokens.find(({ token }) => token === READ_TOKEN) ??
    tokens.find(({ id }) => id === fieldOf(me, 'id')) ??
    tokens.find(({ agency }) => agency === fieldOf(me, 'agency_id'))
  if (found) return found.token
  throw new OptionError(
    `--fixtures: No token in it corresponds to the one that the service knows. Add one with the agency of that token, ${JSON.stringify(fieldOf(me, 'agency_id') ?? null)}.`,
  )
}

function toComparison(
  { found, read }: Examined,
  changed: ReadonlySet<ServiceAnswer>,
  { isRaw }: ComparisonOptions,
): Comparison {
  const counts = { equal: 0, explained: 0, unexplained: 0, changed: 0 }
  const unexplained: Unexplained[] = []
  for (const row of found.rows) {
    const { answer, differences } = row
    if (changed.has(answer)) counts.changed += 1
    else if (found.equal.has(answer)) counts.equal += 1
    else if (differences.size === 0) counts.explained += 1
    else {
      counts.unexplained += 1
      unexplained.push(...describeRow(row, isRaw))
    }
  }
  // The data of the user's fixtures may differ from the service's, so an option may explain some differences by chance.
  const rows = found.rows.filter(
    ({ answer, differences }) =>
      !changed.has(answer) && (read !== undefined || differences.size === 0),
  )
  const policies = toResults({ ...found, rows })
  const inForce = listChanged(found.policies)
  return { answers: counts, policies, unexplained, inForce, read }
}

function describeRow({ answer, ours }: Row, isRaw: boolean): Unexplained[] {
  const { question, status } = answer
  const operation = askedRoute(question)?.operation
  const section = operation ? OPERATIONS[operation].section : '4'
  return findDifferences(answer, ours, isRaw ? describeValue : describeType).map((difference) => ({
    path: question.path,
    status,
    section,
    ...difference,
  }))
}
