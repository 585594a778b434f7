import { listOptions, POLICIES } from '../contract/gaps.ts'
import type { Policy } from '../contract/gaps.ts'
import type { Policies, PolicyName } from '../contract/policies.ts'
import { createCaches } from './caches.ts'
import { zonesOfOtherMonths } from './calendar-month.ts'
import type { EngineState } from './engine-options.ts'
import type { Engine } from './engine.ts'
import type { ApiRequest, ApiResponse } from './messages.ts'

interface GapFinderOptions {
  /** The engine that answers clients. The gap finder only copies it. */
  engine: Engine
  policies: Policies
  /** The world clock in epoch milliseconds. */
  worldMs: () => number
  /** Rate windows saved by another gap finder, to continue from; those of `engine` if omitted. */
  gapWindows?: GapWindows | undefined
}

/**
 * The rate windows under each alternative option of the counting policies, in the order of `POLICIES`. Alternative options are
 * those not in force.
 */
export type GapWindows = readonly EngineState['windows'][]

/** Policies on the counting of requests. Unlike other policies, they affect a response through the requests before it. */
const COUNTING_POLICIES: readonly PolicyName[] = ['rate-window', 'rejected-requests']

/**
 * Finds the gaps that matter to a response, by answering its request on copies of the engine with other options. A gap matters if
 * any of its options changes the response.
 */
export class GapFinder {
  readonly #options: GapFinderOptions
  readonly #caches = createCaches()
  /**
   * Caches of copies with other options of `data-refresh`, which read another revision of the records. A cache shared with other
   * copies would be cleared at each change of revision.
   */
  readonly #otherCaches = createCaches()
  /** One engine for each alternative option of the counting policies. Each engine answers every request. */
  readonly #counting: readonly { policy: PolicyName; engine: Engine }[]

  constructor(options: GapFinderOptions) {
    this.#options = options
    const { gapWindows = [] } = options
    this.#counting = POLICIES.filter(({ policy }) => COUNTING_POLICIES.includes(policy))
      .flatMap((gap) => this.#copiesWithout(gap).map((copy) => ({ policy: gap.policy, copy })))
      .map(({ policy, copy }, index) => ({ policy, engine: copy(gapWindows[index]) }))
  }

  /** Returns the rate windows under the alternative options, for another gap finder to continue from. */
  save(): GapWindows {
    const worldMs = this.#options.worldMs()
    return this.#counting.map(({ engine }) => engine.saveState(worldMs).windows)
  }

  /**
   * Returns the policies that matter to the response to a request, in the order of the gaps. Must be called exactly once per
   * request, before the engine answers it. `answerOn` must answer the request on the copy, without affecting anything else.
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

  /** Clears cached bodies. Must be called after a read has changed reports, because the revision of the records stays the same. */
  forgetBodies(): void {
    for (const { bodies } of [this.#caches, this.#otherCaches]) bodies.clear()
  }

  /**
   * Returns one function for each option of a policy except the one in force. Each function copies the engine in its current state,
   * with that option and, if `windows` is set, other rate windows.
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
 * Returns the options of a policy except the one in force. For time zones, returns only one per month that is current in another
 * zone but not in the zone in force.
 */
export function listOtherOptions(gap: Policy, policies: Policies, worldMs: number): string[] {
  const list = () => listOptions(gap)
  const inForce = policies[gap.policy]
  const others =
    gap.policy === 'month-time-zone' ? zonesOfOtherMonths(list, inForce, worldMs) : list()
  return others.filter((option) => option !== inForce)
}

/** True if a client cannot tell two responses apart. A HEAD request shows only the length of the body. */
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

/** Response header with the ids of the gaps that matter to the response. */
export const GAPS_HEADER = 'X-Sandbox-Gaps'

/** Sets the policies of a response to those that matter, and adds a header with the ids of their gaps, unless there are none. */
export function withGapsHeader(
  response: ApiResponse,
  policies: readonly PolicyName[],
): ApiResponse {
  if (policies.length === 0) return { ...response, policies }
  const ids = POLICIES.filter(({ policy }) => policies.includes(policy)).map(({ id }) => id)
  return { ...response, policies, headers: { ...response.headers, [GAPS_HEADER]: ids.join(',') } }
}
