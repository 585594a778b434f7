import { refuse } from '../contract/read-fields.ts'
import type { Reader } from '../contract/read-fields.ts'

/** The address of Redis or Valkey. Messages about it do not repeat it, as it may have a password. */
export const StoreUrl: Reader<string> = (input) =>
  typeof input === 'string' && isStoreUrl(input)
    ? { value: toRedisUrl(input) }
    : refuse(
        'This is not the address of a store: use one like redis://127.0.0.1:6379, rediss:// with TLS, or valkey://.',
      )

function isStoreUrl(address: string): boolean {
  return /^(?:redis|valkey)s?:\/\/[^\s/]+/i.test(address) && URL.canParse(toRedisUrl(address))
}

/** The client knows one pair of names. */
function toRedisUrl(address: string): string {
  return address.replace(/^valkey(s?):/i, 'redis$1:')
}
