import { api } from '../api/client.ts'
import type { NamedDemo } from '../api/types.ts'

/** Requests the fixture of a demo with these names, without loading it. The server chooses omitted names. */
export function writeDemo(names: object): Promise<NamedDemo> {
  return api.receive('POST', '/demo', { body: names })
}

/** Returns the locale of a demo; the first locale if there are several. */
export function demoLocale({ names }: NamedDemo): string {
  return String([names.locale].flat()[0])
}

export function localeChoices({ locales, countries }: NamedDemo): [locale: string, name: string][] {
  return locales.map((locale, index) => [locale, countries[index]!])
}
