import type { Locale } from './generate.ts'
import type { Copy } from './copy.ts'
import type { Names } from './names.ts'

interface Source {
  copy: () => Promise<Copy>
  names: () => Promise<Names>
}

/** The words of each locale, in modules that are loaded separately. */
const SOURCES: Record<Locale, Source> = {
  da: {
    copy: async () => (await import('./copy/da.ts')).DA,
    names: async () => (await import('./names/da.ts')).DA,
  },
  de: {
    copy: async () => (await import('./copy/de.ts')).DE,
    names: async () => (await import('./names/de.ts')).DE,
  },
  en: {
    copy: async () => (await import('./copy/en.ts')).EN,
    names: async () => (await import('./names/en.ts')).EN,
  },
  nl: {
    copy: async () => (await import('./copy/nl.ts')).NL,
    names: async () => (await import('./names/nl.ts')).NL,
  },
  sv: {
    copy: async () => (await import('./copy/sv.ts')).SV,
    names: async () => (await import('./names/sv.ts')).SV,
  },
}

/** The words that names and texts of one locale are picked from. */
export interface Words {
  locale: Locale
  copy: Copy
  names: Names
}

export async function loadWords(locale: Locale): Promise<Words> {
  const source = SOURCES[locale]
  const [copy, names] = await Promise.all([source.copy(), source.names()])
  return { locale, copy, names }
}
