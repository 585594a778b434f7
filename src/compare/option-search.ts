import type { Policies, PolicyName } from '../contract/policies.ts'
import { findDifferences, describeType } from './differences.ts'
import type { ServiceAnswer } from './question.ts'
import type { SandboxAnswer, Twin } from './twin.ts'

/** Maximum number of differing answers for which pairs of options are tried. Many answers may depend on the same policies. */
const MAXIMUM_PAIRED = 20

/** Locations of the differences between a response of the sandbox and the service's. */
type Differences = ReadonlySet<string>

/**
 * An answer of the service, compared with the sandbox's: under the policies in force, and with each other option of one policy.
 */
export interface Row {
  answer: ServiceAnswer
  /** Differences under the policies in force. */
  differences: Differences
  used: readonly PolicyName[]
  /** Policies that the response used, either under the policies in force or with one of them changed. */
  related: ReadonlySet<PolicyName>
  /** Differences under each other option of each used policy. */
  byOption: ReadonlyMap<PolicyName, ReadonlyMap<string, Differences>>
}

/** Other options for one or two policies. */
type Change = Partial<Record<PolicyName, string>>

/** An option that fits as well as the one in force, so that the service may have either. */
interface Alternative {
  policy: PolicyName
  option: string
}

export interface SearchResult {
  policies: Policies
  /** Answers that matched before any option was changed. */
  equal: ReadonlySet<ServiceAnswer>
  rows: Row[]
  /** Options that might be in force instead, because an option of another policy explains the same answers. */
  ambiguous: Alternative[]
}

/** Finds the options under which the sandbox answers most like the service. */
export async function searchOptions(
  twin: Twin,
  answers: readonly ServiceAnswer[],
): Promise<SearchResult> {
  let policies = twin.policies
  const rows: Row[] = []
  for (const answer of answers) rows.push(await compareOne(twin, answer, policies))
  const same = rows.filter(({ differences }) => differences.size === 0).map(({ answer }) => answer)
  for (;;) {
    const change = bestOption(rows) ?? (await bestPair(twin, rows, policies))
    if (!change) break
    policies = withChange(policies, change)
    for (const [index, row] of rows.entries()) {
      if (isRelated(row, change)) rows[index] = await compareOne(twin, row.answer, policies)
    }
  }
  const ambiguous = await findAmbiguous(twin, rows, policies)
  return { policies, equal: new Set(same), rows, ambiguous }
}

function withChange(policies: Policies, change: Change): Policies {
  return { ...policies, ...change } as Policies
}

function isRelated({ related }: Row, change: Change): boolean {
  return (Object.keys(change) as PolicyName[]).some((policy) => related.has(policy))
}

async function compareOne(twin: Twin, answer: ServiceAnswer, policies: Policies): Promise<Row> {
  await twin.setClock(answer)
  const ours = twin.answer(answer.question, policies)
  const differences = toDifferences(answer, ours)
  const byOption = new Map<PolicyName, Map<string, Differences>>()
  const related = new Set(ours.used)
  for (const policy of ours.used) {
    const options = twin.optionsOf(policy, policies).map((option): [string, Differences] => {
      const other = twin.answer(answer.question, { ...policies, [policy]: option })
      for (const used of other.used) related.add(used)
      return [option, isSame(ours, other) ? differences : toDifferences(answer, other)]
    })
    byOption.set(policy, new Map(options))
  }
  return { answer, differences, used: ours.used, related, byOption }
}

function isSame(one: SandboxAnswer, other: SandboxAnswer): boolean {
  return (
    one.status === other.status &&
    one.body === other.body &&
    JSON.stringify(one.headers) === JSON.stringify(other.headers)
  )
}

function toDifferences(answer: ServiceAnswer, ours: SandboxAnswer): Differences {
  const found = findDifferences(withComparableLimit(answer, ours), ours, describeType)
  return new Set(found.map(({ place }) => place))
}

/**
 * Replaces the rate limit of an answer by the sandbox's if the question sent no token, or wrote the scheme in lower case: no
 * fixture states the limit for such requests.
 */
export function withComparableLimit(answer: ServiceAnswer, ours: SandboxAnswer): ServiceAnswer {
  if (answer.question.authorization === undefined) return answer
  const limit = ours.headers['x-ratelimit-limit']
  return { ...answer, headers: { ...answer.headers, 'x-ratelimit-limit': limit } }
}

/**
 * A change with its total gain over all rows. The gain is positive if the change brings answers closer to the service's, and
 * negative if it adds a difference to any row.
 */
interface Effect {
  change: Change
  gain: number
}

/**
 * Returns the gain of a change that leaves the differences `after` in a row: -1 if one of them is new, 0 if the status still
 * differs.
 */
function gainOn({ differences: before }: Row, after: Differences): number {
  if (after === before) return 0
  if (addsDifference(after, before)) return -1
  if (after.has('status')) return 0
  return Math.max(0, distanceOf(before) - distanceOf(after))
}

/**
 * Weights of differences. Status and body outweigh locations within a body. A location outweighs all locations below it
 * together.
 */
const WEIGHTS: Readonly<Record<string, number>> = { status: 100, body: 10 }
const MAXIMUM_BELOW = 30

function distanceOf(differences: Differences): number {
  let sum = 0
  for (const place of differences) {
    const depth = place.startsWith('/') ? place.split('/').length - 1 : 0
    sum += WEIGHTS[place] ?? MAXIMUM_BELOW ** -depth
  }
  return sum
}

function bestOption(rows: readonly Row[]): Change | undefined {
  const effects = new Map<string, Effect>()
  for (const row of rows) {
    for (const [policy, options] of row.byOption) {
      for (const [option, differences] of options) {
        const key = `${policy}=${option}`
        const { gain } = effects.get(key) ?? { gain: 0 }
        effects.set(key, {
          change: { [policy]: option },
          gain: addGain(gain, gainOn(row, differences)),
        })
      }
    }
  }
  return mostOf([...effects.values()])
}

function addGain(sum: number, gain: number): number {
  return sum < 0 || gain < 0 ? -1 : sum + gain
}

function mostOf(effects: readonly Effect[]): Change | undefined {
  const [most] = effects
    .filter(({ gain }) => gain > 0)
    .toSorted((one, other) => other.gain - one.gain)
  return most?.change
}

/** Returns the options of two policies that have the largest gain together; undefined if no pair has a gain. */
async function bestPair(
  twin: Twin,
  rows: readonly Row[],
  policies: Policies,
): Promise<Change | undefined> {
  const effects = new Map<string, Effect>()
  const differing = rows.filter(({ differences }) => differences.size > 0).slice(0, MAXIMUM_PAIRED)
  const pairs = [...(await repairedPairs(twin, rows, policies))]
  for (const row of differing) pairs.push(...(await pairsIn(twin, row, policies)))
  for (const change of pairs) {
    const key = JSON.stringify(change, Object.keys(change).toSorted())
    if (effects.has(key)) continue
    effects.set(key, { change, gain: await gainOnAll(twin, rows, policies, change) })
  }
  return mostOf([...effects.values()])
}

/**
 * Returns pairs of options. The first option has a gain in some row, but adds differences to another. The second option
 * prevents these differences.
 */
async function repairedPairs(
  twin: Twin,
  rows: readonly Row[],
  policies: Policies,
): Promise<Change[]> {
  const found: Change[] = []
  const options = rows
    .filter(({ differences }) => differences.size > 0)
    .flatMap((row) => [...row.byOption].map(([policy, byOption]) => ({ row, policy, byOption })))
    .flatMap(({ row, policy, byOption }) =>
      [...byOption]
        .filter(([, differences]) => gainOn(row, differences) > 0)
        .map(([option]) => ({ policy, option })),
    )
  const distinct = new Map(options.map((one) => [JSON.stringify(one), one]))
  for (const { policy, option } of distinct.values()) {
    const refuting = rows.find((row) => isRefuted(row, policy, option))
    if (!refuting) continue
    await twin.setClock(refuting.answer)
    const { question } = refuting.answer
    const first = { ...policies, [policy]: option }
    for (const other of twin.answer(question, first).used.filter((used) => used !== policy)) {
      for (const second of twin.optionsOf(other, policies)) {
        const ours = twin.answer(question, { ...first, [other]: second })
        if (!addsDifference(toDifferences(refuting.answer, ours), refuting.differences)) {
          found.push({ [policy]: option, [other]: second })
        }
      }
    }
  }
  return found
}

/** Returns pairs of options that gain in a row. The second policy may matter only under the first option. */
async function pairsIn(twin: Twin, row: Row, policies: Policies): Promise<Change[]> {
  await twin.setClock(row.answer)
  const { question } = row.answer
  const found: Change[] = []
  for (const one of row.used) {
    for (const option of twin.optionsOf(one, policies)) {
      const first = { ...policies, [one]: option }
      const ours = twin.answer(question, first)
      for (const other of ours.used.filter((policy) => policy !== one)) {
        for (const second of twin.optionsOf(other, policies)) {
          const both = twin.answer(question, { ...first, [other]: second })
          if (gainOn(row, toDifferences(row.answer, both)) <= 0) continue
          found.push({ [one]: option, [other]: second })
        }
      }
    }
  }
  return found
}

/** Returns the total gain of a change over all rows; -1 if it adds any difference. */
async function gainOnAll(
  twin: Twin,
  rows: readonly Row[],
  policies: Policies,
  change: Change,
): Promise<number> {
  let sum = 0
  for (const row of rows) {
    if (sum < 0 || !isRelated(row, change)) continue
    await twin.setClock(row.answer)
    const ours = twin.answer(row.answer.question, withChange(policies, change))
    sum = addGain(sum, gainOn(row, toDifferences(row.answer, ours)))
  }
  return sum
}

/**
 * Returns the initial options that fit all answers equally well if a second policy is changed too. Also returns the options of
 * the second policy.
 */
async function findAmbiguous(
  twin: Twin,
  rows: readonly Row[],
  policies: Policies,
): Promise<Alternative[]> {
  const found: Alternative[] = []
  for (const policy of Object.keys(policies) as PolicyName[]) {
    const option = twin.policies[policy]
    if (policies[policy] === option) continue
    const refuting = rows.filter((row) => isRefuted(row, policy, option))
    const instead = await explainWith(twin, refuting, { ...policies, [policy]: option }, policy)
    const holding = instead.filter((one) =>
      rows.every((row) => !isRefuted(row, one.policy, one.option)),
    )
    if (holding.length > 0) found.push({ policy, option }, ...holding)
  }
  return found
}

/** Returns the options of policies other than `except` that add no difference to any of the rows. */
async function explainWith(
  twin: Twin,
  rows: readonly Row[],
  policies: Policies,
  except: PolicyName,
): Promise<Alternative[]> {
  let found: Alternative[] | undefined
  for (const { answer, differences } of rows) {
    await twin.setClock(answer)
    const { question } = answer
    found ??= twin
      .answer(question, policies)
      .used.filter((policy) => policy !== except)
      .flatMap((policy) => twin.optionsOf(policy, policies).map((option) => ({ policy, option })))
    found = found.filter(({ policy, option }) => {
      const ours = twin.answer(question, { ...policies, [policy]: option })
      return !addsDifference(toDifferences(answer, ours), differences)
    })
  }
  return found ?? []
}

/** True if an option of a policy adds a difference to a row; false for an option that was not tried. */
export function isRefuted(
  { differences, byOption }: Row,
  policy: PolicyName,
  option: string,
): boolean {
  return addsDifference(byOption.get(policy)?.get(option) ?? differences, differences)
}

/**
 * True if `after` has a difference that is neither in `before` nor below a location in it. False if the status differed before.
 */
function addsDifference(after: Differences, before: Differences): boolean {
  if (after === before || before.has('status')) return false
  for (const place of after) if (!covers(before, place)) return true
  return false
}

function covers(differences: Differences, place: string): boolean {
  if (differences.has(place)) return true
  if (!place.startsWith('/')) return false
  if (differences.has('body')) return true
  const parent = place.slice(0, place.lastIndexOf('/'))
  return parent !== '' && covers(differences, parent)
}
