import type { Policies, PolicyName } from '../contract/policies.ts'
import { findDifferences, describeType } from './differences.ts'
import type { ServiceAnswer } from './question.ts'
import type { SandboxAnswer, Twin } from './twin.ts'

/** Locations of the differences between a response of the sandbox and the service's. */
type Differences = ReadonlySet<string>

/** An answer of the service, and its differences from the sandbox's answers under several settings of the policies. */
export interface Row {
  answer: ServiceAnswer
  /** The sandbox's answer under the policies in force. */
  ours: SandboxAnswer
  /** Differences under the policies in force. */
  differences: Differences
  /** Policies that affected the sandbox's answer, either under the policies in force or with one of them changed. */
  related: ReadonlySet<PolicyName>
  /** Differences under each other option of the policies that affected `ours`. */
  byOption: ReadonlyMap<PolicyName, ReadonlyMap<string, Differences>>
}

/** Other options for one or two policies. */
type Change = Partial<Record<PolicyName, string>>

export interface SearchResult {
  policies: Policies
  /** Answers that matched before any option was changed. */
  equal: ReadonlySet<ServiceAnswer>
  rows: Row[]
}

/** Finds the options under which the sandbox answers most like the service. */
export function searchOptions(twin: Twin, answers: readonly ServiceAnswer[]): SearchResult {
  let policies = twin.policies
  const rows = answers.map((answer) => compareOne(twin, answer, policies))
  const same = rows.filter(({ differences }) => differences.size === 0).map(({ answer }) => answer)
  for (;;) {
    const change = findBestChange(twin, rows, policies)
    if (!change) break
    policies = withChange(policies, change)
    for (const [index, row] of rows.entries()) {
      if (isRelated(row, change)) rows[index] = compareOne(twin, row.answer, policies)
    }
  }
  return { policies, equal: new Set(same), rows }
}

function withChange(policies: Policies, change: Change): Policies {
  return { ...policies, ...change } as Policies
}

function isRelated({ related }: Row, change: Change): boolean {
  return (Object.keys(change) as PolicyName[]).some((policy) => related.has(policy))
}

function compareOne(twin: Twin, answer: ServiceAnswer, policies: Policies): Row {
  const ours = twin.answer(answer, policies)
  const differences = toDifferences(answer, ours)
  const byOption = new Map<PolicyName, Map<string, Differences>>()
  const related = new Set(ours.used)
  for (const policy of ours.used) {
    const options = twin.optionsOf(policy, policies).map((option): [string, Differences] => {
      const other = twin.answer(answer, { ...policies, [policy]: option })
      for (const used of other.used) related.add(used)
      return [option, toDifferences(answer, other)]
    })
    byOption.set(policy, new Map(options))
  }
  return { answer, ours, differences, related, byOption }
}

function toDifferences(answer: ServiceAnswer, ours: SandboxAnswer): Differences {
  return new Set(findDifferences(answer, ours, describeType).map(({ place }) => place))
}

/**
 * Returns the option that removes the most differences and adds none. If there is none, returns the pair of options that does
 * so, or undefined.
 */
function findBestChange(twin: Twin, rows: readonly Row[], policies: Policies): Change | undefined {
  const gaining = findGaining(rows)
  const single = findMostGaining(gaining, rows, differencesUnder)
  if (single) return { [single.policy]: single.option }
  const pairs = gaining.flatMap((first) => findPairs(twin, rows, policies, first))
  return findMostGaining(pairs, rows, (row, pair) =>
    isRelated(row, pair)
      ? toDifferences(row.answer, twin.answer(row.answer, withChange(policies, pair)))
      : row.differences,
  )
}

/** An option that is not in force. */
interface OtherOption {
  policy: PolicyName
  option: string
}

function findGaining(rows: readonly Row[]): OtherOption[] {
  const found = new Map<string, OtherOption>()
  for (const row of rows) {
    for (const [policy, byOption] of row.byOption) {
      for (const [option, differences] of byOption) {
        if (gainOn(row, differences) > 0) found.set(`${policy}=${option}`, { policy, option })
      }
    }
  }
  return [...found.values()]
}

/**
 * Returns the candidate that removes the most differences from all rows together, and adds none to any row; undefined if there
 * is no such candidate. `differencesOf` returns the differences of a row under a candidate.
 */
function findMostGaining<Candidate>(
  candidates: readonly Candidate[],
  rows: readonly Row[],
  differencesOf: (row: Row, candidate: Candidate) => Differences,
): Candidate | undefined {
  let best: Candidate | undefined
  let most = 0
  for (const candidate of candidates) {
    let gain = 0
    for (const row of rows) {
      const after = differencesOf(row, candidate)
      gain = addsDifference(after, row.differences) ? -Infinity : gain + gainOn(row, after)
      if (gain < 0) break
    }
    if (gain > most) [best, most] = [candidate, gain]
  }
  return best
}

/** Returns the number of differences that a change removes from a row; 0 if the status differs after the change. */
function gainOn({ differences: before }: Row, after: Differences): number {
  return after.has('status') ? 0 : [...before].filter((place) => !after.has(place)).length
}

/**
 * Pairs `first` with each option of another policy that prevents the differences `first` would add. Considers only the first
 * row to which `first` adds any.
 */
function findPairs(
  twin: Twin,
  rows: readonly Row[],
  policies: Policies,
  first: OtherOption,
): Change[] {
  const { policy, option } = first
  const refuting = rows.find((row) => isRefuted(row, first))
  if (!refuting) return []
  const { answer, differences } = refuting
  const { used } = twin.answer(answer, { ...policies, [policy]: option })
  const others = used.filter((other) => other !== policy)
  return others.flatMap((other) =>
    twin
      .optionsOf(other, policies)
      .map((second) => ({ [policy]: option, [other]: second }))
      .filter((change) => {
        const ours = twin.answer(answer, withChange(policies, change))
        return !addsDifference(toDifferences(answer, ours), differences)
      }),
  )
}

/** True if an option removes a difference from a row; false for an option that was not tried. */
export function isSupported(row: Row, other: OtherOption): boolean {
  return gainOn(row, differencesUnder(row, other)) > 0
}

/** True if an option adds a difference to a row; false for an option that was not tried. */
export function isRefuted(row: Row, other: OtherOption): boolean {
  return addsDifference(differencesUnder(row, other), row.differences)
}

function differencesUnder({ differences, byOption }: Row, { policy, option }: OtherOption) {
  return byOption.get(policy)?.get(option) ?? differences
}

/** True if a location in `after` is neither in `before` nor below a location in `before`. False if the status differed before. */
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
