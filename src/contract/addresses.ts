import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** A CIDR block. An IPv4-mapped IPv6 block is stored as the IPv4 block. */
interface Range {
  base: Address
  prefix: number
}

/** Parses an IPv4 or IPv6 address, and converts an IPv4-mapped IPv6 address to IPv4; undefined for any other string. */
function parseAddress(text: string): Address | undefined {
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)
  return isAddress ? ipaddr.process(text) : undefined
}

function parseRange(text: string): Range | undefined {
  const [addressText = '', prefixText, ...rest] = text.split('/')
  const base = parseAddress(addressText)
  if (!base || rest.length > 0) return undefined
  const bits = base.kind() === 'ipv4' ? 32 : 128
  if (prefixText === undefined) return { base, prefix: bits }
  if (!/^\d{1,3}$/.test(prefixText)) return undefined
  const isMapped = bits === 32 && addressText.includes(':')
  const prefix = Number(prefixText) - (isMapped ? 96 : 0)
  return prefix >= 0 && prefix <= bits ? { base, prefix } : undefined
}

/** Pattern of allow-list entries, for the JSON Schema of fixtures. `isAddressRange` is stricter. */
export const ADDRESS_PATTERN = String.raw`^(\*|[\dA-Fa-f.:]+(%\w+)?(/\d{1,3})?)$`

/** True for an allow-list entry: an address, a CIDR range, or `*` for any address. */
export function isAddressRange(text: string): boolean {
  return text === '*' || parseRange(text) !== undefined
}

/** Returns a predicate for the addresses that an allow-list permits (specification 5(3)). Ignores invalid entries. */
export function createAddressMatcher(entries: readonly string[]): (address: string) => boolean {
  if (entries.includes('*')) return () => true
  const ranges = entries.map(parseRange).filter((range) => range !== undefined)
  return (text) => {
    const address = parseAddress(text)
    return (
      address !== undefined &&
      ranges.some(
        ({ base, prefix }) => base.kind() === address.kind() && address.match(base, prefix),
      )
    )
  }
}

/** True for `localhost` and for loopback addresses. */
export function isLoopback(text: string): boolean {
  return text === 'localhost' || parseAddress(text)?.range() === 'loopback'
}

/** True if a `Host` header, or the host of a URL, is `localhost` or a loopback address. */
export function isLocalHost(host: string): boolean {
  return isLoopback(hostName(host))
}

/** Returns the name or address in a `Host` header, in lower case, without port, brackets or final dot. */
function hostName(host: string): string {
  const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
  return name.replace(/\.$/, '').toLowerCase()
}
