import type { Policies, PolicyName, ReadPolicy } from '../contract/policies.ts'

/** Reads policies, and remembers which were asked: what an answer rests on where the specification is open. */
export class PolicyTrail {
  readonly #policies: Policies
  #asked = new Set<PolicyName>()

  constructor(policies: Policies) {
    this.#policies = policies
  }

  readonly read: ReadPolicy = (name) => {
    this.#asked.add(name)
    return this.#policies[name]
  }

  /** The policies that were asked since it began. */
  get asked(): PolicyName[] {
    return [...this.#asked]
  }

  /** Forgets what was asked: another answer begins. */
  begin(): void {
    this.#asked.clear()
  }

  /** Counts policies as asked, for what was worked out by them before. */
  add(names: readonly PolicyName[]): void {
    for (const name of names) this.#asked.add(name)
  }

  /** Works something out, and tells which policies that asked for; they count as asked here too. */
  during<Value>(compute: () => Value): { value: Value; asked: readonly PolicyName[] } {
    const outer = this.#asked
    this.#asked = new Set()
    try {
      return { value: compute(), asked: this.asked }
    } finally {
      for (const name of this.#asked) outer.add(name)
      this.#asked = outer
    }
  }
}
