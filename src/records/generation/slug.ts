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

/** A name as part of an address: words of lower-case ASCII, hyphens between them. Cached, because a few hundred recur. */
export const toSlug = memoize((name: string) =>
  name
    .toLowerCase()
    .replaceAll(/[æøåäöüß]/g, (letter) => SPELLINGS[letter] ?? '')
    .normalize('NFD')
    .replaceAll(/[^a-z0-9\s&.-]/g, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, ''),
)
