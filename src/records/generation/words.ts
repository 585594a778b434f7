import type { Faker } from '@faker-js/faker'
import type { Locale } from './generate.ts'
import type { Copy } from './copy.ts'
import type { Names } from './names.ts'

interface Source {
  copy: () => Promise<Copy>
  names: () => Promise<Names>
  faker: () => Promise<Faker>
}

/** The words of each locale, in modules that are loaded separately. */
const SOURCES: Record<Locale, Source> = {
  da: {
    copy: async () => (await import('./copy/da.ts')).DA,
    names: async () => (await import('./names/da.ts')).DA,
    faker: async () => (await import('@faker-js/faker/locale/da')).faker,
  },
  de: {
    copy: async () => (await import('./copy/de.ts')).DE,
    names: async () => (await import('./names/de.ts')).DE,
    faker: async () => (await import('@faker-js/faker/locale/de')).faker,
  },
  en: {
    copy: async () => (await import('./copy/en.ts')).EN,
    names: async () => (await import('./names/en.ts')).EN,
    faker: async () => (await import('@faker-js/faker/locale/en_GB')).faker,
  },
  nl: {
    copy: async () => (await import('./copy/nl.ts')).NL,
    names: async () => (await import('./names/nl.ts')).NL,
    faker: async () => (await import('@faker-js/faker/locale/nl')).faker,
  },
  sv: {
    copy: async () => (await import('./copy/sv.ts')).SV,
    names: async () => (await import('./names/sv.ts')).SV,
    faker: async () => (await import('@faker-js/faker/locale/sv')).faker,
  },
}

/** The words that names and texts of one locale are picked from. */
export interface Words {
  locale: Locale
  copy: Copy
  names: Names
  /** Faker with the data of the locale; who uses it seeds it first. */
  faker: Faker
}

export async function loadWords(locale: Locale): Promise<Words> {
  const source = SOURCES[locale]
  const [copy, names, faker] = await Promise.all([source.copy(), source.names(), source.faker()])
  return { locale, copy, names, faker: separate(faker) }
}

/** Another instance with the same data: the exported one may be in use by a test, which has seeded it. */
function separate({ constructor, rawDefinitions }: Faker): Faker {
  const OwnFaker = constructor as typeof Faker
  return new OwnFaker({ locale: rawDefinitions })
}
