import type { Policies, PolicyName } from '../contract/policies.ts'
import { comparePlaces, describeType } from './places.ts'
import type { ServiceAnswer } from './question.ts'
import type { OwnAnswer, Twin } from './twin.ts'

/** Maximum number of differing answers for which pairs of options are tried: many answers may depend on the same policies. */
const MOST_PAIRED = 20

/** Places in which a response of the sandbox differs from the service's. */
type Places = ReadonlySet<string>

/**
 * An answer of the service, compared with the sandbox's under the policies in force and under each other option of one policy.
 */
export interface Row {
  answer: ServiceAnswer
  /** Differences under the policies in force. */
  places: Places
  used: readonly PolicyName[]
  /** Policies used for the response, under the policies in force or after changing one of those used. */
  related: ReadonlySet<PolicyName>
  /** Differences under each other option of each policy used. */
  others: ReadonlyMap<PolicyName, ReadonlyMap<string, Places>>
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
  const same = rows.filter(({ places }) => places.size === 0).map(({ answer }) => answer)
  for (;;) {
    const change = bestOf(rows) ?? (await bestPair(twin, rows, policies))
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

/** True if a change may affect the response of a row. */
function isRelated({ related }: Row, change: Change): boolean {
  return (Object.keys(change) as PolicyName[]).some((policy) => related.has(policy))
}

async function compareOne(twin: Twin, answer: ServiceAnswer, policies: Policies): Promise<Row> {
  await twin.setClock(answer)
  const own = twin.answer(answer.question, policies)
  const places = placesOf(answer, own)
  const others = new Map<PolicyName, Map<string, Places>>()
  const related = new Set(own.used)
  for (const policy of own.used) {
    const options = twin.optionsOf(policy, policies).map((option): [string, Places] => {
      const other = twin.answer(answer.question, { ...policies, [policy]: option })
      for (const used of other.used) related.add(used)
      return [option, isSame(own, other) ? places : placesOf(answer, other)]
    })
    others.set(policy, new Map(options))
  }
  return { answer, places, used: own.used, related, others }
}

function isSame(one: OwnAnswer, other: OwnAnswer): boolean {
  return (
    one.status === other.status &&
    one.body === other.body &&
    JSON.stringify(one.headers) === JSON.stringify(other.headers)
  )
}

function placesOf(answer: ServiceAnswer, own: OwnAnswer): Places {
  const found = comparePlaces(withComparable(answer, own), own, describeType)
  return new Set(found.map(({ place }) => place))
}

/**
 * Returns an answer with the sandbox's rate limit if the question sent no token, or wrote the scheme in lower case: no fixture
 * states the limit for such requests.
 */
export function withComparable(answer: ServiceAnswer, own: OwnAnswer): ServiceAnswer {
  if (answer.question.authorization === undefined) return answer
  const limit = own.headers['x-ratelimit-limit']
  return { ...answer, headers: { ...answer.headers, 'x-ratelimit-limit': limit } }
}

/** The total gain of a change over all rows: positive if it brings answers closer, negative if it adds a difference to any. */
interface Effect {
  change: Change
  gain: number
}

/** Returns the gain of the differences `after` over those of a row: -1 if there is a new one, 0 if the status still differs. */
function gainOn({ places: before }: Row, after: Places): number {
  if (after === before) return 0
  if (isAdding(after, before)) return -1
  if (after.has('status')) return 0
  return Math.max(0, distanceOf(before) - distanceOf(after))
}

/** Weights of places. Status and body outweigh places within a body, and a place outweighs all places below it together. */
const WEIGHTS: Readonly<Record<string, number>> = { status: 100, body: 10 }
const MOST_BELOW = 30

function distanceOf(places: Places): number {
  let sum = 0
  for (const place of places) {
    const depth = place.startsWith('/') ? place.split('/').length - 1 : 0
    sum += WEIGHTS[place] ?? MOST_BELOW ** -depth
  }
  return sum
}

/** Returns the option with the largest gain; undefined if none has a gain. */
function bestOf(rows: readonly Row[]): Change | undefined {
  const effects = new Map<string, Effect>()
  for (const row of rows) {
    for (const [policy, options] of row.others) {
      for (const [option, places] of options) {
        const key = `${policy}=${option}`
        const { gain } = effects.get(key) ?? { gain: 0 }
        effects.set(key, { change: { [policy]: option }, gain: addGain(gain, gainOn(row, places)) })
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

/** Returns the pair of options, of two policies, with the largest gain; undefined if none has a gain. */
async function bestPair(
  twin: Twin,
  rows: readonly Row[],
  policies: Policies,
): Promise<Change | undefined> {
  const effects = new Map<string, Effect>()
  const differing = rows.filter(({ places }) => places.size > 0).slice(0, MOST_PAIRED)
  const pairs = [...(await completions(twin, rows, policies))]
  for (const row of differing) pairs.push(...(await pairsIn(twin, row, policies)))
  for (const change of pairs) {
    const key = JSON.stringify(change, Object.keys(change).toSorted())
    if (effects.has(key)) continue
    effects.set(key, { change, gain: await gainOnAll(twin, rows, policies, change) })
  }
  return mostOf([...effects.values()])
}

/**
 * Returns pairs of a first option that gains in some rows but adds differences to another, and a second one that avoids these.
 */
async function completions(
  twin: Twin,
  rows: readonly Row[],
  policies: Policies,
): Promise<Change[]> {
  const found: Change[] = []
  const options = rows
    .filter(({ places }) => places.size > 0)
    .flatMap((row) => [...row.others].map(([policy, others]) => ({ row, policy, others })))
    .flatMap(({ row, policy, others }) =>
      [...others]
        .filter(([, places]) => gainOn(row, places) > 0)
        .map(([option]) => ({ policy, option })),
    )
  const distinct = new Map(options.map((one) => [JSON.stringify(one), one]))
  for (const { policy, option } of distinct.values()) {
    const spoilt = rows.find((row) => isRefuted(row, policy, option))
    if (!spoilt) continue
    await twin.setClock(spoilt.answer)
    const { question } = spoilt.answer
    const first = { ...policies, [policy]: option }
    for (const other of twin.answer(question, first).used.filter((used) => used !== policy)) {
      for (const second of twin.optionsOf(other, policies)) {
        const own = twin.answer(question, { ...first, [other]: second })
        if (!isAdding(placesOf(spoilt.answer, own), spoilt.places)) {
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
      const own = twin.answer(question, first)
      for (const other of own.used.filter((policy) => policy !== one)) {
        for (const second of twin.optionsOf(other, policies)) {
          const both = twin.answer(question, { ...first, [other]: second })
          if (gainOn(row, placesOf(row.answer, both)) <= 0) continue
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
    const own = twin.answer(row.answer.question, withChange(policies, change))
    sum = addGain(sum, gainOn(row, placesOf(row.answer, own)))
  }
  return sum
}

/**
 * Returns the initial options that would fit all answers equally well together with another option of a second policy, and the
 * options of the second policy.
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
    const spoilt = rows.filter((row) => isRefuted(row, policy, option))
    const instead = await explainWith(twin, spoilt, { ...policies, [policy]: option }, policy)
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
  for (const { answer, places } of rows) {
    await twin.setClock(answer)
    const { question } = answer
    found ??= twin
      .answer(question, policies)
      .used.filter((policy) => policy !== except)
      .flatMap((policy) => twin.optionsOf(policy, policies).map((option) => ({ policy, option })))
    found = found.filter(({ policy, option }) => {
      const own = twin.answer(question, { ...policies, [policy]: option })
      return !isAdding(placesOf(answer, own), places)
    })
  }
  return found ?? []
}

/** True if an option of a policy adds a difference to a row; false for an option that was not tried. */
export function isRefuted({ places, others }: Row, policy: PolicyName, option: string): boolean {
  return isAdding(others.get(policy)?.get(option) ?? places, places)
}

/**
 * True if `places` has a difference that is not in `before`, or in a larger place there. False if the status differed before.
 */
function isAdding(places: Places, before: Places): boolean {
  if (places === before || before.has('status')) return false
  for (const place of places) if (!hasOrContains(before, place)) return true
  return false
}

function hasOrContains(places: Places, place: string): boolean {
  if (places.has(place)) return true
  if (!place.startsWith('/')) return false
  if (places.has('body')) return true
  const parent = place.slice(0, place.lastIndexOf('/'))
  return parent !== '' && hasOrContains(places, parent)
}
