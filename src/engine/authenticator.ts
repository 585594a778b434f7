import { createAddressMatcher } from '../contract/addresses.ts'
import { memoizeByObject } from '../contract/cache.ts'
import type { ReadPolicy } from '../contract/policies.ts'
import type { OperationId } from '../contract/routes.ts'
import type { ProblemCode } from '../contract/problems.ts'
import type { RecordReader } from '../contract/records.ts'
import type { TokenRecord } from '../contract/token.ts'

/** Returns the bearer value in an Authorization header, ignoring the case of the scheme; undefined if there is none. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return /^bearer +([^ ]+)$/i.exec(authorization ?? '')?.[1]
}

/**
 * Returns the token that an Authorization header names, even a disabled one; undefined without a header, or if no known token
 * matches.
 */
export function identifyToken(
  authorization: string | undefined,
  records: RecordReader,
  policy: ReadPolicy,
): TokenRecord | undefined {
  if (authorization === undefined) return undefined
  const token = records.tokenNamed(authorization)
  if (token) return token
  const bearer = bearerOf(authorization)
  const usual = `Bearer ${bearer}`
  if (bearer === undefined || authorization === usual) return undefined
  return policy('authorization-scheme') === 'strict' ? undefined : records.tokenNamed(usual)
}

/** Returns the problem of a request whose token is missing or unknown (specification 5(8), G-001). */
export function missingTokenProblem(acceptsJson: boolean, policy: ReadPolicy): ProblemCode {
  const status = policy('missing-token')
  if (status === '403') return 'forbidden'
  return status === '302' && !acceptsJson ? 'login_required' : 'unauthenticated'
}

/**
 * Returns the reason to reject a known token: its status or, if the status is accepted, the client's IP address (specification
 * 5(3), 5(4)); undefined if both are accepted.
 */
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

/** True if the abilities of a token cover a path, or if policy does not enforce abilities (G-012). `/me` requires none. */
export function hasAbility(token: TokenRecord, path: string, policy: ReadPolicy): boolean {
  if (token.abilities.includes('*')) return true
  const resource = path.split('/')[1]
  return (
    resource === 'me' ||
    token.abilities.includes(`${resource}:read`) ||
    policy('abilities') === 'unenforced'
  )
}
