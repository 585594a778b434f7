import { DEFAULT_RATE_LIMITS } from '../contract/limits.ts'
import { listOptions, POLICIES } from '../contract/gaps.ts'
import type { Policies, PolicyName } from '../contract/policies.ts'
import { createCaches } from '../engine/caches.ts'
import { Engine } from '../engine/engine.ts'
import { listOtherOptions } from '../engine/gap-finder.ts'
import type { ApiRequest, ReadHeader } from '../engine/messages.ts'
import { createSandbox } from '../sandbox/create-sandbox.ts'
import type { Sandbox, SandboxOptions } from '../sandbox/sandbox.ts'
import { COMPARED_HEADER_NAMES, COMPARED_HEADERS, headersToSend } from './question.ts'
import type { ServiceAnswer, ServiceRequest, ComparedResponse } from './question.ts'

/** The sandbox's response to a question, with the policies that affected it. */
export interface SandboxAnswer extends ComparedResponse {
  used: readonly PolicyName[]
}

/** A sandbox that answers the same questions as the service, at the times of the service's answers. */
export class Twin {
  readonly #sandbox: Sandbox
  readonly #engine: Engine
  readonly #token: string
  readonly #origin: string
  readonly #decoder = new TextDecoder()
  readonly policies: Policies
  #ms = 0

  private constructor(sandbox: Sandbox, token: string, origin: string) {
    this.#sandbox = sandbox
    this.#token = token
    this.#origin = origin
    this.policies = sandbox.world.policies
    this.#engine = new Engine({
      records: sandbox.world.records,
      clock: { worldMs: () => this.#ms, rateMs: () => this.#ms },
      policies: this.policies,
      rateLimits: DEFAULT_RATE_LIMITS,
      isCopied: true,
    })
  }

  /** @param token returns the bearer value to use, from the fixtures */
  static async create(
    fixtures: NonNullable<SandboxOptions['fixtures']>,
    { token, origin }: { token: (sandbox: Sandbox) => string; origin: string },
  ): Promise<Twin> {
    const sandbox = await createSandbox({ fixtures, frozen: true })
    return new Twin(sandbox, token(sandbox), origin)
  }

  async setClock({ at }: ServiceAnswer): Promise<void> {
    this.#ms = Date.parse(at)
    await this.#sandbox.clock.set(at)
  }

  answer(question: ServiceRequest, policies: Policies): SandboxAnswer {
    const engine = this.#engine.copyWith(policies, createCaches())
    const { status, headers, body, policies: used = [] } = engine.answer(this.#toRequest(question))
    return {
      status,
      headers: Object.fromEntries(
        COMPARED_HEADER_NAMES.map((name) => [name, headers[COMPARED_HEADERS[name]]]),
      ),
      body: this.#decoder.decode(body),
      used,
    }
  }

  #toRequest(question: ServiceRequest): ApiRequest {
    const [path = '', query = ''] = question.path.split(/\?(.*)/s)
    const headers: Partial<Record<ReadHeader, string>> = headersToSend(question, this.#token)
    return {
      method: 'GET',
      path,
      query,
      header: (name) => headers[name],
      clientIp: '127.0.0.1',
      origin: this.#origin,
    }
  }

  /** Returns the other options of a policy; empty if none of them can matter at the current time. */
  optionsOf(policy: PolicyName, policies: Policies): string[] {
    const gap = POLICIES.find((one) => one.policy === policy)
    const matters = gap && listOtherOptions(gap, policies, this.#ms).length > 0
    return matters ? listOptions(gap).filter((option) => option !== policies[policy]) : []
  }
}
