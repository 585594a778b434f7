import { createAddressMatcher } from '../contract/addresses.ts'
import { Cache, memoizeByObject } from '../contract/cache.ts'
import type { ReadPolicy } from '../contract/policies.ts'
import type { OperationId } from '../contract/operations.ts'
import type { ProblemCode } from '../contract/problems.ts'
import type { RecordReader } from '../contract/records.ts'
import type { TokenRecord } from '../contract/token.ts'

/** The bearer value in an Authorization header, whatever the case of the scheme; undefined if there is none. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return /^bearer +([^ ]+)$/i.exec(authorization ?? '')?.[1]
}

const MAXIMUM_FOUND = 5000

/** Finds the tokens that Authorization headers name. */
export class TokenFinder {
  readonly #records: RecordReader
  readonly #policy: ReadPolicy
  /** The tokens found by headers in the usual spelling, at a revision of the records. */
  readonly #found = new Cache<string, TokenRecord>(MAXIMUM_FOUND)

  constructor(records: RecordReader, policy: ReadPolicy) {
    this.#records = records
    this.#policy = policy
  }

  /** The token that a header names, whatever its status; undefined if there is none. */
  find(authorization: string | undefined): TokenRecord | undefined {
    if (authorization === undefined) return undefined
    const found = this.#found.at(this.#records.revision)
    return found.get(authorization) ?? this.#search(authorization)
  }

  #search(authorization: string): TokenRecord | undefined {
    const bearer = bearerOf(authorization)
    if (bearer === undefined) return undefined

    let found: TokenRecord | undefined
    for (const token of this.#records.all('tokens')) {
      if (isEqualInConstantTime(token.token, bearer)) found = token
    }
    if (authorization === `Bearer ${bearer}`) {
      if (found) this.#found.set(authorization, found)
      return found
    }
    return this.#policy('authorization-scheme') === 'strict' ? undefined : found
  }
}

/** Compares without stopping at the first difference, so that timing reveals nothing of a secret. */
function isEqualInConstantTime(secret: string, presented: string): boolean {
  let difference = secret.length ^ presented.length
  for (let index = 0; index < presented.length; index += 1) {
    difference |= secret.charCodeAt(index % secret.length) ^ presented.charCodeAt(index)
  }
  return difference === 0
}

/** Specification 5(8), left open (G-001). */
export function missingTokenProblem(acceptsJson: boolean, policy: ReadPolicy): ProblemCode {
  const status = policy('missing-token')
  if (status === '403') return 'forbidden'
  return status === '302' && !acceptsJson ? 'login_required' : 'unauthenticated'
}

/** Why a known token is refused: its status, then the address (specification 5(3), 5(4)). */
export function tokenProblem(
  token: TokenRecord,
  operation: OperationId,
  clientIp: string,
  policy: ReadPolicy,
): ProblemCode | undefined {
  const disabled = token.status === 'disabled' ? disabledTokenProblem(operation, policy) : undefined
  return disabled ?? (isAddressAllowed(token, clientIp, policy) ? undefined : 'ip_not_allowed')
}

function disabledTokenProblem(operation: OperationId, policy: ReadPolicy): ProblemCode | undefined {
  const status = operation === 'getMe' ? policy('disabled-token-on-me') : policy('disabled-token')
  if (status === '200') return undefined
  return status === '403' ? 'token_disabled' : 'unauthenticated'
}

const matcherOf = memoizeByObject(createAddressMatcher)

function isAddressAllowed(
  { allowed_ips }: TokenRecord,
  address: string,
  policy: ReadPolicy,
): boolean {
  if (allowed_ips === undefined) return true
  if (allowed_ips.length === 0) return policy('empty-ip-list') === 'allow-all'
  return matcherOf(allowed_ips)(address)
}

/** Whether a token's abilities cover a path, where policy has them enforced (G-012). */
export function hasAbility(token: TokenRecord, path: string, policy: ReadPolicy): boolean {
  if (token.abilities.includes('*')) return true
  const resource = path.split('/')[1]
  return (
    resource === 'me' ||
    token.abilities.includes(`${resource}:read`) ||
    policy('abilities') === 'unenforced'
  )
}
