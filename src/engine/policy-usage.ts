import { POLICIES } from '../contract/gaps.ts'
import type { Policies, PolicyName, ReadPolicy } from '../contract/policies.ts'

const POLICY_NAMES: readonly PolicyName[] = POLICIES.map(({ policy }) => policy)

/**
 * A set of policies. There is one object for each set, which leads to the sets with one policy more: so adding
 * a policy costs a look-up, and responses alike share the list of theirs.
 */
export interface PolicySet<Name extends string = PolicyName> {
  /** In the order of the gaps. */
  readonly names: readonly Name[]
  /** The set with one policy more, by the name that is added; the set itself for one that is in it. */
  readonly next: Map<Name, PolicySet<Name>>
}

/** All sets of some policies that have come up so far. */
export class PolicySets<Name extends string = PolicyName> {
  readonly empty: PolicySet<Name>
  readonly #order: ReadonlyMap<Name, number>
  readonly #known = new Map<string, PolicySet<Name>>()

  constructor(names: readonly Name[]) {
    this.#order = new Map(names.map((name, index) => [name, index]))
    this.empty = this.#intern([])
  }

  add(set: PolicySet<Name>, name: Name): PolicySet<Name> {
    const known = set.next.get(name)
    if (known) return known
    const names = set.names.includes(name) ? set.names : [...set.names, name]
    const added = this.#intern(
      names.toSorted((one, other) => this.#indexOf(one) - this.#indexOf(other)),
    )
    set.next.set(name, added)
    return added
  }

  union(one: PolicySet<Name>, other: PolicySet<Name>): PolicySet<Name> {
    if (one === other || other === this.empty) return one
    let united = one
    for (const name of other.names) united = this.add(united, name)
    return united
  }

  #intern(names: readonly Name[]): PolicySet<Name> {
    const key = names.map((name) => this.#indexOf(name)).join(' ')
    const known = this.#known.get(key)
    if (known) return known
    const set: PolicySet<Name> = { names, next: new Map() }
    this.#known.set(key, set)
    return set
  }

  #indexOf(name: Name): number {
    return this.#order.get(name) ?? -1
  }
}

/** The sets of all policies: engines share them, for what worlds are asked is alike. */
const SETS = new PolicySets(POLICY_NAMES)

/** Reads policies, and records which were read: what a response rests on where the specification is open. */
export class PolicyUsage {
  readonly #policies: Policies
  #used = SETS.empty

  constructor(policies: Policies) {
    this.#policies = policies
  }

  readonly read: ReadPolicy = (name) => {
    this.#used = SETS.add(this.#used, name)
    return this.#policies[name]
  }

  /** The policies that were read since it began, in the order of the gaps. */
  get used(): readonly PolicyName[] {
    return this.#used.names
  }

  /** Forgets what was read: another response begins. */
  begin(): void {
    this.#used = SETS.empty
  }

  /** Counts policies as read, for what was computed by them before. */
  add(used: PolicySet): void {
    this.#used = SETS.union(this.#used, used)
  }

  /** Computes something, and gives the policies that it read; they count as read here too. */
  during<Value>(compute: () => Value): { value: Value; used: PolicySet } {
    const before = this.#used
    this.#used = SETS.empty
    try {
      const value = compute()
      return { value, used: this.#used }
    } finally {
      this.#used = SETS.union(before, this.#used)
    }
  }
}
