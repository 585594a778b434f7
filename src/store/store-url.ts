import { refuse } from '../contract/read-fields.ts'
import type { Reader } from '../contract/read-fields.ts'

/** The address of Redis or Valkey. Messages about it do not repeat it, as it may have a password. */
export const StoreUrl: Reader<string> = (input) =>
  typeof input === 'string' && isStoreUrl(input)
    ? { value: toRedisUrl(input) }
    : refuse(
        'This is not the address of a store: use one like redis://127.0.0.1:6379 or redis://127.0.0.1:6379/1, rediss:// with TLS, or valkey://.',
      )

function isStoreUrl(address: string): boolean {
  if (!/^(?:redis|valkey)s?:\/\/[^\s/?#]+(?:\/\d{0,9})?$/i.test(address)) return false
  try {
    const { username, password } = new URL(toRedisUrl(address))
    decodeURIComponent(username + password)
    return true
  } catch {
    return false
  }
}

/** The client knows one pair of names. */
function toRedisUrl(address: string): string {
  return address.replace(/^valkey(s?):/i, 'redis$1:')
}
