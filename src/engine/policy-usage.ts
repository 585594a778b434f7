import type { Cache } from '../contract/cache.ts'
import { POLICY_NAMES } from '../contract/gaps.ts'
import type { Policies, PolicyName, ReadPolicy } from '../contract/policies.ts'

/**
 * An interned set of policies: equal sets are the same object. Each set links to the sets with one more policy, so that adding a
 * policy costs one look-up.
 */
export interface PolicySet<Name extends string = PolicyName> {
  /** Names of the policies, in the order of the gaps. */
  readonly names: readonly Name[]
  /** Results of adding a policy to this set, by the name of that policy. */
  readonly next: Map<Name, PolicySet<Name>>
}

class PolicySets<Name extends string = PolicyName> {
  readonly empty: PolicySet<Name>
  readonly #all: readonly Name[]
  readonly #known = new Map<string, PolicySet<Name>>()

  /** `all` determines the order of the names in every set. */
  constructor(all: readonly Name[]) {
    this.#all = all
    this.empty = this.#intern([])
  }

  add(set: PolicySet<Name>, name: Name): PolicySet<Name> {
    const known = set.next.get(name)
    if (known) return known
    const added = this.#intern(
      this.#all.filter((other) => other === name || set.names.includes(other)),
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
    const key = names.join(' ')
    const known = this.#known.get(key)
    if (known) return known
    const set: PolicySet<Name> = { names, next: new Map() }
    this.#known.set(key, set)
    return set
  }
}

interface WithPolicies {
  used: PolicySet
}

/** Shared by all engines, because similar requests use the same sets in every world. */
const SETS = new PolicySets(POLICY_NAMES)

/** Options of policies that differ from those in force. */
export type PolicyChanges = Partial<Policies>

const NO_CHANGES: PolicyChanges = {}

/** The policies of an engine, and a record of those that the response in progress depends on. */
export class PolicyUsage {
  readonly #policies: Policies
  readonly #changed: readonly PolicyName[]
  /** Prefix of the cache keys of values that were computed with a changed policy. */
  readonly #prefix: string
  #used = SETS.empty

  constructor(inForce: Policies, changes = NO_CHANGES) {
    this.#policies = changes === NO_CHANGES ? inForce : { ...inForce, ...changes }
    this.#changed = Object.keys(changes) as PolicyName[]
    this.#prefix = this.#changed.length === 0 ? '' : `${JSON.stringify(changes)} `
  }

  readonly read: ReadPolicy = (name) => {
    this.#used = SETS.add(this.#used, name)
    return this.#policies[name]
  }

  /** The policies used since {@link begin}, in the order of the gaps. */
  get used(): readonly PolicyName[] {
    return this.#used.names
  }

  /** Clears the record of used policies. Must be called before each response. */
  begin(): void {
    this.#used = SETS.empty
  }

  /** Records the policies of a cached value as used. */
  add(used: PolicySet): void {
    this.#used = SETS.union(this.#used, used)
  }

  /** Returns a cached value that is valid under these policies, and records its policies as used; undefined if there is none. */
  find<Value extends WithPolicies>(cache: Cache<string, Value>, key: string): Value | undefined {
    const value = cache.get(key)
    const found = value && this.#isChanged(value) ? cache.get(this.#prefix + key) : value
    if (found) this.add(found.used)
    return found
  }

  /** Caches a value. Engines with other policies find it too, unless it depends on a policy that differs. */
  keep<Value extends WithPolicies>(cache: Cache<string, Value>, key: string, value: Value): void {
    cache.set(this.#isChanged(value) ? this.#prefix + key : key, value)
  }

  #isChanged({ used }: WithPolicies): boolean {
    return this.#changed.some((name) => used.names.includes(name))
  }

  /** Computes a value. Returns it with the policies that `compute` has read, and records them as used by the response. */
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
