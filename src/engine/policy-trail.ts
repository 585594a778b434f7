import { POLICIES } from '../contract/gaps.ts'
import type { Policies, PolicyName, ReadPolicy } from '../contract/policies.ts'

const NAMES: readonly PolicyName[] = POLICIES.map(({ policy }) => policy)
const INDEX_OF = new Map<PolicyName, number>(NAMES.map((name, index) => [name, index]))

/** A set of policies is a bit for each, in two words: it is made anew with every answer. */
const WORD_BITS = 31
const WORD_SIZE = 2 ** WORD_BITS

/** The list of each set that there was: answers alike have the same one, and cost no memory of their own. */
const LISTS = new Map<number, readonly PolicyName[]>()

/** Policies that were asked, as bits. */
export interface AskedPolicies {
  readonly low: number
  readonly high: number
}

const NONE: readonly never[] = []

/** Reads policies, and remembers which were asked: what an answer rests on where the specification is open. */
export class PolicyTrail {
  readonly #policies: Policies
  #low = 0
  #high = 0

  constructor(policies: Policies) {
    this.#policies = policies
  }

  readonly read: ReadPolicy = (name) => {
    this.#ask(name)
    return this.#policies[name]
  }

  /** The policies that were asked since it began, in the order of the gaps. */
  get asked(): readonly PolicyName[] {
    if (this.#low === 0 && this.#high === 0) return NONE
    const key = this.#high * WORD_SIZE + this.#low
    const list = LISTS.get(key) ?? NAMES.filter((_, index) => this.#has(index))
    LISTS.set(key, list)
    return list
  }

  /** Forgets what was asked: another answer begins. */
  begin(): void {
    this.#low = 0
    this.#high = 0
  }

  /** Counts policies as asked, for what was worked out by them before. */
  add({ low, high }: AskedPolicies): void {
    this.#low |= low
    this.#high |= high
  }

  /** Works something out, and tells which policies that asked for; they count as asked here too. */
  during<Value>(compute: () => Value): { value: Value; asked: AskedPolicies } {
    const [low, high] = [this.#low, this.#high]
    this.begin()
    try {
      const value = compute()
      return { value, asked: { low: this.#low, high: this.#high } }
    } finally {
      this.#low |= low
      this.#high |= high
    }
  }

  #ask(name: PolicyName): void {
    const index = INDEX_OF.get(name) ?? 0
    if (index < WORD_BITS) this.#low |= 1 << index
    else this.#high |= 1 << (index - WORD_BITS)
  }

  #has(index: number): boolean {
    return index < WORD_BITS
      ? (this.#low & (1 << index)) !== 0
      : (this.#high & (1 << (index - WORD_BITS))) !== 0
  }
}
