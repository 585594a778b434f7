import { listOptions, POLICIES } from '../contract/gaps.ts'
import type { Policy } from '../contract/gaps.ts'
import type { Policies, PolicyName } from '../contract/policies.ts'
import { createCaches } from './caches.ts'
import { zonesOfOtherMonths } from './calendar-month.ts'
import type { EngineState } from './engine-options.ts'
import type { Engine } from './engine.ts'
import type { ApiRequest, ApiResponse } from './messages.ts'

interface GapFinderOptions {
  /** The engine in force, which is only copied. */
  engine: Engine
  policies: Policies
  /** The world clock in epoch milliseconds. */
  worldMs: () => number
  /** Windows that another gap finder has counted by the other options, to continue from; those of the engine if omitted. */
  counted?: GapWindows | undefined
}

/** Windows of each engine that counts requests by another option, in the order of the engines. */
export type GapWindows = readonly EngineState['windows'][]

/** Policies that affect the counting of earlier requests. */
const COUNTING: readonly PolicyName[] = ['rate-window', 'rejected-requests']

/** Finds the gaps that matter to a response: those with another option that would change it. It tries all options. */
export class GapFinder {
  readonly #options: GapFinderOptions
  readonly #caches = createCaches()
  /** For copies that see other records, whose revision would clear the caches of the other copies. */
  readonly #otherCaches = createCaches()
  /** Engines that have answered every request so far with another option of a policy that counts them. */
  readonly #counting: readonly { policy: PolicyName; engine: Engine }[]

  constructor(options: GapFinderOptions) {
    this.#options = options
    const { counted = [] } = options
    this.#counting = POLICIES.filter(({ policy }) => COUNTING.includes(policy))
      .flatMap((gap) => this.#copiesWithout(gap).map((copy) => ({ policy: gap.policy, copy })))
      .map(({ policy, copy }, index) => ({ policy, engine: copy(counted[index]) }))
  }

  /** Windows counted by the other options, for another gap finder to continue from. */
  save(): GapWindows {
    const worldMs = this.#options.worldMs()
    return this.#counting.map(({ engine }) => engine.saveState(worldMs).windows)
  }

  /**
   * Returns the policies that matter to the response to a request, in the order of the gaps. Must be called once for every
   * request, before it is answered. `answerOn` answers the request on a copy of the engine, without any other effect.
   */
  find(request: ApiRequest, answerOn: (copy: Engine) => ApiResponse): PolicyName[] {
    const usual = answerOn(this.#options.engine.copyWith({}, this.#caches))
    const isOther = (copy: Engine) => !isSame(answerOn(copy), usual, request)
    const changing = this.#counting.filter(({ engine }) => isOther(engine))
    const matters = (gap: Policy) =>
      changing.some(({ policy }) => policy === gap.policy) ||
      (usual.policies?.includes(gap.policy) === true &&
        this.#copiesWithout(gap).some((copy) => isOther(copy())))
    return POLICIES.filter(matters).map(({ policy }) => policy)
  }

  /** Must be called when reads have moved reports, which changes no revision of the records. */
  forgetBodies(): void {
    for (const { bodies } of [this.#caches, this.#otherCaches]) bodies.clear()
  }

  /**
   * Returns one function for each option of the policy that is not in force. It creates a copy of the engine, in its current
   * state, with that option.
   */
  #copiesWithout(gap: Policy): ((windows?: EngineState['windows']) => Engine)[] {
    const { engine, policies, worldMs } = this.#options
    const caches = gap.policy === 'data-refresh' ? this.#otherCaches : this.#caches
    return listOtherOptions(gap, policies, worldMs()).map(
      (option) => (windows) => engine.copyWith({ [gap.policy]: option }, caches, windows),
    )
  }
}

/**
 * Returns the options of a policy that could change a response: all but the one in force; of time zones, one for each other
 * month.
 */
export function listOtherOptions(gap: Policy, policies: Policies, worldMs: number): string[] {
  const list = () => listOptions(gap)
  const inForce = policies[gap.policy]
  const others =
    gap.policy === 'month-time-zone' ? zonesOfOtherMonths(list, inForce, worldMs) : list()
  return others.filter((option) => option !== inForce)
}

/** True if a client sees no difference; HEAD shows only the length of a body. */
function isSame(one: ApiResponse, other: ApiResponse, { method }: ApiRequest): boolean {
  return (
    one.status === other.status &&
    one.body.byteLength === other.body.byteLength &&
    JSON.stringify([one.headers, one.wire]) === JSON.stringify([other.headers, other.wire]) &&
    (method === 'HEAD' || isEqual(one.body, other.body))
  )
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  if (one === other) return true
  for (let index = 0; index < one.length; index += 1) {
    if (one[index] !== other[index]) return false
  }
  return true
}

/** The header that lists the gaps that matter to a response. */
export const GAPS_HEADER = 'X-Sandbox-Gaps'

/** Adds a header that names policies by the ids of their gaps; no header for an empty list. */
export function withGapsHeader(
  response: ApiResponse,
  policies: readonly PolicyName[],
): ApiResponse {
  if (policies.length === 0) return { ...response, policies }
  const ids = POLICIES.filter(({ policy }) => policies.includes(policy)).map(({ id }) => id)
  return { ...response, policies, headers: { ...response.headers, [GAPS_HEADER]: ids.join(',') } }
}
