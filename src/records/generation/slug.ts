import { memoize } from '../../contract/cache.ts'

/** Letters that are transliterated, rather than stripped of their accents. */
const SPELLINGS: Record<string, string> = {
  æ: 'ae',
  ø: 'oe',
  å: 'aa',
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ß: 'ss',
}

/** Converts a name to lower-case ASCII words joined by hyphens, for host names. Cached, because a few hundred names recur. */
export const toSlug = memoize((name: string) =>
  name
    .toLowerCase()
    .replaceAll(/[æøåäöüß]/g, (letter) => SPELLINGS[letter] ?? '')
    .normalize('NFD')
    .replaceAll(/[^a-z0-9\s&.-]/g, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, ''),
)

/** Returns the Latin form that a locale has for a name, or else the slug of the name. */
export function slugOf(
  name: string,
  { slugs }: { slugs: Readonly<Record<string, string>> },
): string {
  return slugs[name] ?? toSlug(name)
}

/** Returns the host of an agency's e-mail addresses: its name, below a reserved domain. */
export function hostOfAgency({ name }: { name: string }): string {
  return `${toLabel(name) || 'agency'}.example`
}

/** Returns the hosts of a company's website and e-mail addresses. `place` is its index in the fixture's list. */
export function hostsOfCompany(
  { name, domain }: { name: string; domain?: string | undefined },
  place: number,
): { domain: string; mailHost: string } {
  const own = `${toLabel(name) || `company-${place + 1}`}.example`
  const site = domain?.toLowerCase() ?? own
  const bare = withoutWww(site)
  return { domain: site, mailHost: bare.endsWith('.example') ? bare : own }
}

/** Converts a name to a host label: its slug, of at most 63 characters; empty if none of its characters has an ASCII form. */
function toLabel(name: string): string {
  return toSlug(name).slice(0, 63).replace(/-$/, '')
}

export function withoutWww(host: string): string {
  return host.replace(/^www\./, '')
}

/**
 * Concatenates strings into a flat string. V8 would keep concatenated strings as trees of their parts, which take three times the
 * memory, and a world may store such strings for 200,000 projects.
 */
export function flat(...parts: (string | number)[]): string {
  return parts.join('')
}
