import { DEFAULT_RATE_LIMITS } from '../contract/limits.ts'
import type { TokenRecord } from '../contract/token.ts'

/** True for one of the documented bearer values, such as `sandbox-agency`. */
export function isMagicToken(token: string): boolean {
  return magicTokens(null).some((magic) => magic.token === token)
}

/**
 * Returns the tokens of a world whose fixture has none. Their bearer values are documented, not secret. All except the super-admin
 * token are scoped to `agency`, or to none if it is null.
 */
export function magicTokens(agency: number | null): TokenRecord[] {
  const token = (id: number, name: string, changes: Partial<TokenRecord> = {}): TokenRecord => ({
    id,
    name: `Sandbox ${name}`,
    token: `sandbox-${name.replaceAll(' ', '-').toLowerCase()}`,
    agency,
    status: 'active',
    abilities: ['*'],
    rate_limit: {},
    ...changes,
  })
  // Spent tokens have explicit limits, so that they do not depend on a world's default limits.
  const rate_limit = DEFAULT_RATE_LIMITS
  return [
    token(1, 'agency'),
    token(2, 'super', { name: 'Sandbox super-admin', agency: null }),
    token(3, 'disabled', { status: 'disabled' }),
    token(4, 'IP denied', { allowed_ips: ['192.0.2.0/24'] }),
    token(5, 'unlimited', { rate_limit: 'unlimited' }),
    token(6, 'minute exhausted', { rate_limit, spent: 'minute' }),
    token(7, 'hour exhausted', { rate_limit, spent: 'hour' }),
  ]
}
