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
export interface Twin {
  /** Policies that the fixtures set, and the defaults of all others. */
  policies: Policies
  /** Answers the question of `answered` under `policies`, at the time of the service's answer. */
  answer: (answered: ServiceAnswer, policies: Policies) => SandboxAnswer
  /** Returns the options of a policy that are not in force; empty if none of them can matter at the time of the latest `answer`. */
  optionsOf: (policy: PolicyName, policies: Policies) => string[]
}

/**
 * @param token returns the bearer value to use, from the fixtures
 * @param origin the base URL of the service, without a trailing slash
 * @param at time of the sandbox, in ISO 8601, until which its reports progress; if omitted, the time in the fixtures
 */
export async function createTwin(
  fixtures: NonNullable<SandboxOptions['fixtures']>,
  {
    token,
    origin,
    at,
  }: { token: (sandbox: Sandbox) => string; origin: string; at?: string | undefined },
): Promise<Twin> {
  const sandbox = await createSandbox({ fixtures, frozen: true })
  if (at !== undefined) await sandbox.clock.set(at)
  const { records, policies: initial } = sandbox.world
  const bearer = token(sandbox)
  const decoder = new TextDecoder()
  let ms = 0
  const engine = new Engine({
    records,
    clock: { worldMs: () => ms, rateMs: () => ms },
    policies: initial,
    rateLimits: DEFAULT_RATE_LIMITS,
    isCopied: true,
  })
  const answer: Twin['answer'] = ({ question, at: time, headers: theirs }, policies) => {
    ms = Date.parse(time)
    const [path = '', query = ''] = question.path.split(/\?(.*)/s)
    const sent: Partial<Record<ReadHeader, string>> = headersToSend(question, bearer)
    const header = (name: ReadHeader) => sent[name]
    const request = { method: 'GET', path, query, header, clientIp: '127.0.0.1', origin }
    const copy = engine.copyWith(policies, createCaches())
    const { status, headers, body, policies: used = [] } = copy.answer(request)
    const compared = Object.fromEntries(
      COMPARED_HEADER_NAMES.map((name) => [name, headers[COMPARED_HEADERS[name]]]),
    )
    // No fixture states the limit of requests without the usual `Authorization` header.
    if (question.authorization !== undefined) {
      compared['x-ratelimit-limit'] = theirs['x-ratelimit-limit']
    }
    return { status, headers: compared, body: decoder.decode(body), used }
  }
  const optionsOf: Twin['optionsOf'] = (policy, policies) => {
    const gap = POLICIES.find((one) => one.policy === policy)
    const matters = gap && listOtherOptions(gap, policies, ms).length > 0
    return matters ? listOptions(gap).filter((option) => option !== policies[policy]) : []
  }
  return { policies: initial, answer, optionsOf }
}
