import { api } from '../api/client.ts'
import type { NamedDemo } from '../api/types.ts'

/** Writes the demo with these names; it has its own for omitted names, and is of the country of the world if that is omitted. */
export function writeDemo(names: object): Promise<NamedDemo> {
  return api.receive('POST', '/demo', { body: names })
}

/** Returns the locale of a demo; the first of several. */
export function countryOf({ names }: NamedDemo): string {
  return String([names.locale].flat()[0])
}

/** Returns the countries to choose from, by locale. */
export function localeChoices({ locales, countries }: NamedDemo): [locale: string, name: string][] {
  return locales.map((locale, index) => [locale, countries[index]!])
}
