import type { Policies, PolicyName } from '../contract/policies.ts'
import { comparePlaces, describeType } from './places.ts'
import type { Answer } from './question.ts'
import type { OwnAnswer, Twin } from './twin.ts'

/** Policies that many answers depend on alike are tried in this many of them at most, in pairs. */
const MOST_PAIRED = 20

/** The places in which a response of the sandbox differs from the service's. */
type Places = ReadonlySet<string>

/** An answer of the service beside the sandbox's, with each other option of the policies that it was made with. */
export interface Row {
  answer: Answer
  /** With the policies in force. */
  places: Places
  used: readonly PolicyName[]
  /** The places with another option. */
  others: ReadonlyMap<PolicyName, ReadonlyMap<string, Places>>
}

/** One or two policies with other options. */
type Change = Partial<Record<PolicyName, string>>

/** An option that fits besides the one in force, where nothing tells which of them the service has. */
export interface Alternative {
  policy: PolicyName
  option: string
}

export interface Found {
  policies: Policies
  /** The answers that were the same before any option was found. */
  equal: ReadonlySet<Answer>
  rows: Row[]
  /** Policies whose option might as well be another, because that of another policy would explain the same. */
  ambiguous: Alternative[]
}

/** Finds the options with which the sandbox answers as the service does. */
export async function searchOptions(twin: Twin, answers: readonly Answer[]): Promise<Found> {
  let policies = twin.policies
  let rows = await compareAll(twin, answers, policies)
  const same = rows.filter(({ places }) => places.size === 0).map(({ answer }) => answer)
  for (;;) {
    const change = bestOf(rows) ?? (await bestPair(twin, rows, policies))
    if (!change) break
    policies = { ...policies, ...change } as Policies
    const changed = Object.keys(change) as PolicyName[]
    const isStale = ({ used }: Row) => changed.some((policy) => used.includes(policy))
    rows = await replaceRows(twin, rows, isStale, policies)
  }
  const ambiguous = await findAmbiguous(twin, rows, policies)
  return { policies, equal: new Set(same), rows, ambiguous }
}

async function compareAll(twin: Twin, answers: readonly Answer[], policies: Policies): Promise<Row[]> {
  const rows: Row[] = []
  for (const answer of answers) rows.push(await compareOne(twin, answer, policies))
  return rows
}

async function replaceRows(
  twin: Twin,
  rows: readonly Row[],
  isStale: (row: Row) => boolean,
  policies: Policies,
): Promise<Row[]> {
  const replaced: Row[] = []
  for (const row of rows) {
    replaced.push(isStale(row) ? await compareOne(twin, row.answer, policies) : row)
  }
  return replaced
}

async function compareOne(twin: Twin, answer: Answer, policies: Policies): Promise<Row> {
  await twin.setClock(answer)
  const own = twin.answer(answer.question, policies)
  const places = placesOf(answer, own)
  const others = new Map<PolicyName, Map<string, Places>>()
  for (const policy of own.used) {
    const options = twin.optionsOf(policy, policies).map((option): [string, Places] => {
      const other = twin.answer(answer.question, { ...policies, [policy]: option })
      return [option, isSame(own, other) ? places : placesOf(answer, other)]
    })
    others.set(policy, new Map(options))
  }
  return { answer, places, used: own.used, others }
}

function isSame(one: OwnAnswer, other: OwnAnswer): boolean {
  return (
    one.status === other.status &&
    one.body === other.body &&
    JSON.stringify(one.headers) === JSON.stringify(other.headers)
  )
}

function placesOf(answer: Answer, own: OwnAnswer): Places {
  const found = comparePlaces(withComparable(answer, own), own, describeType)
  return new Set(found.map(({ place }) => place))
}

/** An answer without the limit of a token that the service does not know, which no fixture states. */
export function withComparable(answer: Answer, own: OwnAnswer): Answer {
  if (answer.question.authorization === undefined) return answer
  const limit = own.headers['x-ratelimit-limit']
  return { ...answer, headers: { ...answer.headers, 'x-ratelimit-limit': limit } }
}

/** How many places a change removes, over all rows; 0 where it adds any, or leaves another status. */
interface Effect {
  change: Change
  removed: number
}

function effectOn(row: Row, places: Places): number {
  if (places === row.places) return 0
  for (const place of places) if (!row.places.has(place)) return -1
  const removed = row.places.size - places.size
  return removed > 0 && places.has('status') ? -1 : removed
}

/** The option that removes most, of those that remove any place and add none. */
function bestOf(rows: readonly Row[]): Change | undefined {
  const effects = new Map<string, Effect>()
  const refuted = new Set<string>()
  for (const row of rows) {
    for (const [policy, options] of row.others) {
      for (const [option, places] of options) {
        const key = `${policy}=${option}`
        const removed = effectOn(row, places)
        if (removed < 0) refuted.add(key)
        const effect = effects.get(key) ?? { change: { [policy]: option }, removed: 0 }
        effects.set(key, { ...effect, removed: effect.removed + removed })
      }
    }
  }
  return mostOf([...effects].filter(([key]) => !refuted.has(key)).map(([, effect]) => effect))
}

function mostOf(effects: readonly Effect[]): Change | undefined {
  const [most] = effects
    .filter(({ removed }) => removed > 0)
    .toSorted((one, other) => other.removed - one.removed)
  return most?.change
}

/** The same with options of two policies at once. */
async function bestPair(
  twin: Twin,
  rows: readonly Row[],
  policies: Policies,
): Promise<Change | undefined> {
  const effects = new Map<string, Effect>()
  const differing = rows.filter(({ places }) => places.size > 0).slice(0, MOST_PAIRED)
  for (const row of differing) {
    for (const change of await pairsIn(twin, row, policies)) {
      const key = JSON.stringify(change)
      if (effects.has(key)) continue
      effects.set(key, { change, removed: await effectOfAll(twin, rows, policies, change) })
    }
  }
  return mostOf([...effects.values()])
}

/** Pairs of options that remove places of a row. The second policy may matter only with the first option. */
async function pairsIn(twin: Twin, row: Row, policies: Policies): Promise<Change[]> {
  await twin.setClock(row.answer)
  const { question } = row.answer
  const found = new Map<string, Change>()
  for (const one of row.used) {
    for (const option of twin.optionsOf(one, policies)) {
      const first = { ...policies, [one]: option } as Policies
      const own = twin.answer(question, first)
      for (const other of own.used.filter((policy) => policy !== one)) {
        for (const second of twin.optionsOf(other, policies)) {
          const both = twin.answer(question, { ...first, [other]: second })
          if (effectOn(row, placesOf(row.answer, both)) <= 0) continue
          const change = Object.fromEntries([[one, option] as const, [other, second] as const].toSorted())
          found.set(JSON.stringify(change), change)
        }
      }
    }
  }
  return [...found.values()]
}

/** How many places a change removes over all rows; 0 where it adds any. */
async function effectOfAll(
  twin: Twin,
  rows: readonly Row[],
  policies: Policies,
  change: Change,
): Promise<number> {
  let removed = 0
  for (const row of rows) {
    if (!row.used.some((policy) => policy in change)) continue
    await twin.setClock(row.answer)
    const own = twin.answer(row.answer.question, { ...policies, ...change } as Policies)
    const effect = effectOn(row, placesOf(row.answer, own))
    if (effect < 0) return 0
    removed += effect
  }
  return removed
}

/** Options found that one of another policy could replace, with everything as well explained. */
async function findAmbiguous(
  twin: Twin,
  rows: readonly Row[],
  policies: Policies,
): Promise<Alternative[]> {
  const found: Alternative[] = []
  for (const policy of Object.keys(policies) as PolicyName[]) {
    const preset = twin.policies[policy]
    if (policies[policy] === preset) continue
    const isWorse = ({ places, others }: Row) =>
      isAdding(others.get(policy)?.get(preset) ?? places, places)
    const reverted = { ...policies, [policy]: preset } as Policies
    const evidence = rows.filter(isWorse)
    let instead: Alternative[] | undefined
    for (const { answer, places } of evidence) {
      await twin.setClock(answer)
      const { used } = twin.answer(answer.question, reverted)
      const fitting = used
        .filter((other) => other !== policy)
        .flatMap((other) =>
          twin.optionsOf(other, policies).map((option) => ({ policy: other, option })),
        )
        .filter(({ policy: other, option }) => {
          const own = twin.answer(answer.question, { ...reverted, [other]: option })
          return !isAdding(placesOf(answer, own), places)
        })
      const isAmongThem = (one: Alternative) =>
        fitting.some((other) => other.policy === one.policy && other.option === one.option)
      instead = instead?.filter(isAmongThem) ?? fitting
      if (instead.length === 0) break
    }
    const holds = (instead ?? []).filter((one) =>
      rows.every(({ places, others }) => !isAdding(others.get(one.policy)?.get(one.option) ?? places, places)),
    )
    if (holds.length > 0) found.push({ policy, option: preset }, ...holds)
  }
  return found
}

export function isAdding(places: Places, to: Places): boolean {
  if (places === to) return false
  for (const place of places) if (!to.has(place)) return true
  return false
}
