import { createAddressMatcher } from '../contract/addresses.ts'
import type { TokenRecord } from '../contract/token.ts'

/** The bearer value of the first token that this machine may use; undefined where there is none. */
export function findUsableToken(tokens: readonly TokenRecord[]): string | undefined {
  const usable = tokens.find(
    ({ status, allowed_ips = ['*'] }) =>
      status === 'active' && createAddressMatcher(allowed_ips)('127.0.0.1'),
  )
  return usable?.token
}
