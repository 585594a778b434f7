import type { Faker } from '@faker-js/faker'
import type { Locale } from './generate.ts'
import type { Copy } from './copy.ts'

interface Source {
  copy: () => Promise<Copy>
  faker: () => Promise<Pick<Faker, 'definitions'>>
}

/** The words of each locale, in modules that are loaded separately. */
const SOURCES: Record<Locale, Source> = {
  da: {
    copy: async () => (await import('./copy/da.ts')).DA,
    faker: async () => (await import('@faker-js/faker/locale/da')).faker,
  },
  de: {
    copy: async () => (await import('./copy/de.ts')).DE,
    faker: async () => (await import('@faker-js/faker/locale/de')).faker,
  },
  en: {
    copy: async () => (await import('./copy/en.ts')).EN,
    faker: async () => (await import('@faker-js/faker/locale/en_GB')).faker,
  },
  nl: {
    copy: async () => (await import('./copy/nl.ts')).NL,
    faker: async () => (await import('@faker-js/faker/locale/nl')).faker,
  },
  sv: {
    copy: async () => (await import('./copy/sv.ts')).SV,
    faker: async () => (await import('@faker-js/faker/locale/sv')).faker,
  },
}

/** The words that names and texts of one locale are picked from. */
export interface Words {
  copy: Copy
  firstNames: readonly string[]
  surnames: readonly string[]
}

/**
 * Loads the words of a locale. People's names are picked from Faker's lists directly: Faker's own functions
 * take ten times as long, and 100,000 projects are named while a server starts.
 */
export async function loadWords(locale: Locale): Promise<Words> {
  const source = SOURCES[locale]
  const [copy, { definitions }] = await Promise.all([source.copy(), source.faker()])
  return {
    copy,
    firstNames: namesOf(definitions.person.first_name),
    surnames: namesOf(definitions.person.last_name),
  }
}

/** The names of all genders, without those that read oddly inside the name of a business. */
function namesOf(lists: { [gender: string]: readonly string[] | undefined }): readonly string[] {
  const names = Object.values(lists).flatMap((list) => list ?? [])
  return names.filter((name) => /^\p{Lu}\p{Ll}+$/u.test(name))
}
