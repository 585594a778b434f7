import { DEFAULT_RATE_LIMITS } from '../contract/limits.ts'
import { listOptions, POLICIES } from '../contract/gaps.ts'
import type { Policies, PolicyName } from '../contract/policies.ts'
import { createCaches } from '../engine/caches.ts'
import { Engine } from '../engine/engine.ts'
import { listOtherOptions } from '../engine/gap-finder.ts'
import type { ReadHeader } from '../engine/messages.ts'
import { createSandbox } from '../sandbox/create-sandbox.ts'
import type { Sandbox, SandboxOptions } from '../sandbox/sandbox.ts'
import { COMPARED_HEADER_NAMES, COMPARED_HEADERS, headersToSend } from './question.ts'
import type { ServiceAnswer, ComparedResponse } from './question.ts'

/** The sandbox's response to a question, with the policies that affected it. */
export interface SandboxAnswer extends ComparedResponse {
  used: readonly PolicyName[]
}

/** A sandbox that answers the same questions as the service, at the times of the service's answers. */
export class Twin {
  readonly #engine: Engine
  readonly #token: string
  readonly #origin: string
  readonly #decoder = new TextDecoder()
  readonly policies: Policies
  #ms = 0

  private constructor({ world }: Sandbox, token: string, origin: string) {
    this.#token = token
    this.#origin = origin
    this.policies = world.policies
    this.#engine = new Engine({
      records: world.records,
      clock: { worldMs: () => this.#ms, rateMs: () => this.#ms },
      policies: this.policies,
      rateLimits: DEFAULT_RATE_LIMITS,
      isCopied: true,
    })
  }

  /**
   * @param token returns the bearer value to use, from the fixtures
   * @param at time of the records, in ISO 8601, for fixtures in which reports progress; that of the fixtures if omitted
   */
  static async create(
    fixtures: NonNullable<SandboxOptions['fixtures']>,
    { token, origin, at }: { token: (sandbox: Sandbox) => string; origin: string; at?: string },
  ): Promise<Twin> {
    const sandbox = await createSandbox({ fixtures, frozen: true })
    if (at !== undefined) await sandbox.clock.set(at)
    return new Twin(sandbox, token(sandbox), origin)
  }

  /** Answers a question that the service has answered, as at that time. */
  answer({ question, at, headers: theirs }: ServiceAnswer, policies: Policies): SandboxAnswer {
    this.#ms = Date.parse(at)
    const [path = '', query = ''] = question.path.split(/\?(.*)/s)
    const sent: Partial<Record<ReadHeader, string>> = headersToSend(question, this.#token)
    const {
      status,
      headers,
      body,
      policies: used = [],
    } = this.#engine.copyWith(policies, createCaches()).answer({
      method: 'GET',
      path,
      query,
      header: (name) => sent[name],
      clientIp: '127.0.0.1',
      origin: this.#origin,
    })
    const compared = Object.fromEntries(
      COMPARED_HEADER_NAMES.map((name) => [name, headers[COMPARED_HEADERS[name]]]),
    )
    // No fixture states the limit of requests without the usual token.
    if (question.authorization !== undefined) {
      compared['x-ratelimit-limit'] = theirs['x-ratelimit-limit']
    }
    return { status, headers: compared, body: this.#decoder.decode(body), used }
  }

  /** Returns the other options of a policy; empty if none of them can matter at the time of the last answer. */
  optionsOf(policy: PolicyName, policies: Policies): string[] {
    const gap = POLICIES.find((one) => one.policy === policy)
    const matters = gap && listOtherOptions(gap, policies, this.#ms).length > 0
    return matters ? listOptions(gap).filter((option) => option !== policies[policy]) : []
  }
}
