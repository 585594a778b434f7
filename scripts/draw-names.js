import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { allLocales, SimpleFaker } from '@faker-js/faker'
import anyAscii from 'any-ascii'
import { parse, stringify } from 'yaml'
import { importBundled } from './import-bundled.js'

/**
 * Draws the names of a country from Faker and writes them to fixtures/names: `node scripts/draw-names.js [LOCALE…]`, by
 * default all. Keeps the entries of the file, their Latin forms and everything else written by hand, and replaces the
 * entries in its `struck` with others.
 */

/**
 * The language and the country, an id that no other country has (its calling code, if free), and a note.
 *
 * @type {Record<string, [language: string, country: string, id: number, note?: string]>}
 */
const COUNTRIES = {
  de_AT: [
    'German',
    'Austria',
    43,
    'Cities include the largest, because those of Faker are villages.',
  ],
  de_CH: ['German', 'Switzerland', 41],
  en_US: ['English', 'United States', 1, 'People are those of fixtures/texts/en.yaml.'],
  en_CA: ['English', 'Canada', 124, 'People are those of fixtures/texts/en.yaml.'],
  en_IN: ['English', 'India', 91],
  en_ZA: [
    'English',
    'South Africa',
    27,
    'African and Afrikaans first names are added, because Faker has hardly any, and two surnames and two cities.',
  ],
  fr: ['French', 'France', 33, 'Some surnames are corrected, which Faker has without accents.'],
  es: ['Spanish', 'Spain', 34],
  it: ['Italian', 'Italy', 39, 'Cities are the largest, because Faker has only small places.'],
  pl: ['Polish', 'Poland', 48],
  cs_CZ: ['Czech', 'Czechia', 420],
  nb_NO: ['Norwegian', 'Norway', 47, 'Cities are the largest, because Faker invents them.'],
  pt_PT: ['Portuguese', 'Portugal', 351, 'Lisboa is added, which Faker has in English.'],
  el: ['Greek', 'Greece', 30, 'Names of women are added, because those of Faker lack accents.'],
  he: ['Hebrew', 'Israel', 972, 'Tel Aviv has its short name.'],
  ar: [
    'Arabic',
    'Egypt',
    20,
    'Surnames are names of men, as is usual in Egypt: the surnames of Faker are Tunisian. Names of women and some cities are added, because Faker has few.',
  ],
  ru: ['Russian', 'Russia', 7],
  uk: ['Ukrainian', 'Ukraine', 380, 'Dnipro is added, of which Faker has the former name.'],
  ko: [
    'Korean',
    'South Korea',
    82,
    'Some large cities are added, because Faker has mostly districts.',
  ],
  zh_CN: [
    'Chinese',
    'China',
    86,
    'First names of two characters are added, because one of a single character is not said alone.',
  ],
  tr: ['Turkish', 'Türkiye', 792],
}

/** Numbers of names to draw for a new file. */
const WANTED = { women: 32, men: 32, surnames: 80, cities: 18, streets: 48 }

/** Locales whose streets a reader from the country accepts. */
const WITH_STREETS = ['de_AT', 'en_US', 'cs_CZ', 'zh_CN']

/** Locales whose surnames are syllables. In Latin letters, 60 of them cannot all be unlike each other. */
const WITH_SYLLABLES = ['ko', 'zh_CN']

/** Locales with the people of fixtures/texts/en.yaml. */
const WITH_ENGLISH_PEOPLE = ['en_US', 'en_CA']

/** @typedef {keyof typeof WANTED} List */
/** @typedef {string[] | Record<string, string>} Entries Names, or names with their Latin forms. */

const FOLDER = new URL('../fixtures/names/', import.meta.url)
const { toSlug } = await importBundled('src/records/generation/slug.ts')
const { isNearTwin } = await importBundled('src/records/generation/companies.ts')
const english = parse(await readFile(new URL('../texts/en.yaml', FOLDER), 'utf8'))
/** The first man of that list, in which women come first. */
const FIRST_MAN = english.first_names.indexOf('David')
const { version } = createRequire(import.meta.url)('@faker-js/faker/package.json')

const locales = process.argv.slice(2)
for (const locale of locales.length > 0 ? locales : Object.keys(COUNTRIES)) await draw(locale)

/** @param {string} locale */
async function draw(locale) {
  const country = COUNTRIES[locale]
  if (!country) throw new Error(`${locale} is not in the table of scripts/draw-names.js.`)
  const [language, label, id, note = ''] = country
  const file = new URL(`${locale}.yaml`, FOLDER)
  const known = parse(await readFile(file, 'utf8').catch(() => '{}'))
  const { first_names, surnames, cities, streets, struck = {}, ...rest } = known
  const kept = { ...first_names, surnames, cities, streets }
  const drawn = Object.entries(listNames(locale)).map(([key, names]) => {
    const list = /** @type {List} */ (key)
    const removed = new Set(struck[list === 'women' || list === 'men' ? 'first_names' : list])
    const entries = toEntries(kept[list] ?? [], locale)
    const wanted = entries.size || WANTED[list]
    for (const name of removed) entries.delete(name)
    for (const name of names) {
      if (entries.size >= wanted) break
      if (removed.has(name)) continue
      const slug = toLatin(name, locale)
      const isLike =
        list === 'surnames' && !WITH_SYLLABLES.includes(locale) ? isNearTwin : Object.is
      if (![...entries.values()].some((other) => isLike(other, slug))) entries.set(name, slug)
    }
    return [list, list === 'streets' ? [...entries.keys()] : toShortest(entries)]
  })
  const { women, men, ...others } = Object.fromEntries(drawn)
  const head = `${language}, ${label}: names from Faker ${version} (${locale}). scripts/draw-names.js draws them; common ones are chosen, and those that a reader from the country would find odd are struck. Builds read this file alone, so no world changes when Faker does. ${note}`
  const { country: _country, texts: _texts, ...written } = rest
  const own = {
    country: { id, label },
    texts: locale.startsWith('de') ? 'de' : 'en',
    ...written,
  }
  await writeFile(
    file,
    [
      `${fill(head.trim().split(' '), '# ')}\n`,
      ...Object.entries(own).map(([key, value]) => `${key}: ${toYaml(value)}`),
      writeLists('first_names', { women, men }),
      ...Object.entries(others).map(([list, entries]) => `${list}:\n${writeList(entries, '  ')}`),
      ...(known.struck ? [writeLists('struck', struck)] : []),
      '',
    ].join('\n'),
  )
}

/**
 * The entries of a file, with their Latin forms.
 *
 * @param {Entries} entries
 * @param {string} locale
 */
function toEntries(entries, locale) {
  return new Map(
    Array.isArray(entries)
      ? entries.map((name) => [name, toLatin(name, locale)])
      : Object.entries(entries),
  )
}

/**
 * A list of names if `toSlug` gives each its Latin form, otherwise a map.
 *
 * @param {Map<string, string>} entries
 * @returns {Entries}
 */
function toShortest(entries) {
  const isPlain = [...entries].every(([name, slug]) => toSlug(name) === slug)
  return isPlain ? [...entries.keys()] : Object.fromEntries(entries)
}

/**
 * Faker's names of a locale, each list in the order of its drawing.
 *
 * @param {string} locale
 */
function listNames(locale) {
  const { person, location } = allLocales[/** @type {keyof typeof allLocales} */ (locale)]
  const { female, male } = person?.first_name ?? {}
  const isEnglish = WITH_ENGLISH_PEOPLE.includes(locale)
  return {
    women: isEnglish ? english.first_names.slice(0, FIRST_MAN) : shuffle(female),
    men: isEnglish ? english.first_names.slice(FIRST_MAN) : shuffle(male),
    surnames: isEnglish
      ? english.surnames
      : shuffle(person?.last_name?.generic, person?.last_name?.male),
    cities: shuffle(location?.city_name ?? allLocales.en.location?.city_name),
    ...(WITH_STREETS.includes(locale) && { streets: shuffle(location?.street_name) }),
  }
}

/**
 * The names in Faker's lists, each once, in an order that depends on the names alone.
 *
 * @param {(readonly string[] | null | undefined)[]} lists
 */
function shuffle(...lists) {
  const names = new Set(lists.flatMap((list) => list ?? []))
  return new SimpleFaker({ seed: 1 }).helpers.shuffle([...names].toSorted())
}

/**
 * A name in Latin letters, as in an address. Umlauts become two letters in German alone.
 *
 * @param {string} name
 * @param {string} locale
 * @returns {string}
 */
function toLatin(name, locale) {
  return toSlug(/^(?:de|en)/.test(locale) ? name : anyAscii(name.normalize('NFC')))
}

/**
 * A value on one line.
 *
 * @param {unknown} value
 */
function toYaml(value) {
  return stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trimEnd()
}

/**
 * Lists under one key.
 *
 * @param {string} key
 * @param {Record<string, Entries>} lists
 */
function writeLists(key, lists) {
  const written = Object.entries(lists).map(
    ([list, entries]) => `  ${list}:\n${writeList(entries, '    ')}`,
  )
  return [`${key}:`, ...written].join('\n')
}

/**
 * A list or a map in lines of a fixture's usual length.
 *
 * @param {Entries} entries
 * @param {string} indent
 */
function writeList(entries, indent) {
  const isList = Array.isArray(entries)
  const items = isList
    ? entries.map(toYaml)
    : Object.entries(entries).map(([name, slug]) => `${toYaml(name)}: ${slug}`)
  const lines = fill(
    items.map((item) => `${item},`),
    `${indent}  `,
  )
  return `${indent}${isList ? '[' : '{'}\n${lines}\n${indent}${isList ? ']' : '}'}`
}

/**
 * Words in lines of at most 116 characters.
 *
 * @param {string[]} words
 * @param {string} indent
 */
function fill(words, indent) {
  const lines = ['']
  for (const word of words) {
    const line = lines.at(-1) ?? ''
    if (line === '') lines[lines.length - 1] = indent + word
    else if (line.length + word.length < 116) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(indent + word)
  }
  return lines.join('\n')
}
