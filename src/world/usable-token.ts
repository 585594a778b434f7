import { createAddressMatcher } from '../contract/addresses.ts'
import type { TokenRecord } from '../contract/token.ts'

/** Returns the first active token that requests from 127.0.0.1 may use; undefined if there is none. */
export function findUsableToken(tokens: readonly TokenRecord[]): TokenRecord | undefined {
  return tokens.find(
    ({ status, allowed_ips = ['*'] }) =>
      status === 'active' && createAddressMatcher(allowed_ips)('127.0.0.1'),
  )
}
