import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { allLocales, SimpleFaker } from '@faker-js/faker'
import anyAscii from 'any-ascii'
import { parse } from 'yaml'
import { importBundled } from './import-bundled.js'

/**
 * Draws the names of a country from Faker and writes them to fixtures/names: `node scripts/draw-names.js [LOCALE…]`, by
 * default all. Keeps the entries of the file and their Latin forms, and replaces those in its `struck` with others.
 */

/**
 * The language and the country, an id of the country that no other one has (its calling code, if free), and a note.
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
  zh_CN: ['Chinese', 'China', 86],
  tr: ['Turkish', 'Türkiye', 792],
}

/** Least length of each list, if Faker has so many names that are good. */
const WANTED = { first_names: 64, surnames: 80, cities: 18, streets: 48 }

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
const { version } = createRequire(import.meta.url)('@faker-js/faker/package.json')

const locales = process.argv.slice(2)
for (const locale of locales.length > 0 ? locales : Object.keys(COUNTRIES)) await draw(locale)

/** @param {string} locale */
async function draw(locale) {
  const country = COUNTRIES[locale]
  if (!country) throw new Error(`${locale} is not in the table of scripts/draw-names.js.`)
  const [language, label, id, note] = country
  const file = new URL(`${locale}.yaml`, FOLDER)
  /** @type {Partial<Record<List, Entries>> & { struck?: Partial<Record<List, string[]>> }} */
  const { struck = {}, ...known } = parse(await readFile(file, 'utf8').catch(() => '{}'))
  const lists = Object.entries(listNames(locale)).map(([key, names]) => {
    const list = /** @type {List} */ (key)
    const entries = known[list] ?? []
    const kept = Array.isArray(entries) ? entries : Object.keys(entries)
    const slugs = Array.isArray(entries) ? {} : entries
    /** @type {Map<string, string>} */
    const drawn = new Map()
    for (const name of [...kept, ...names].filter((each) => !struck[list]?.includes(each))) {
      if (drawn.size >= WANTED[list] && !kept.includes(name)) break
      const slug = slugs[name] ?? toLatin(name, locale)
      const isLike =
        list === 'surnames' && !WITH_SYLLABLES.includes(locale) ? isNearTwin : Object.is
      if (![...drawn.values()].some((other) => isLike(other, slug))) drawn.set(name, slug)
    }
    const isPlain = list === 'streets' || [...drawn].every(([name, slug]) => toSlug(name) === slug)
    const items = [...drawn].map(([name, slug]) =>
      isPlain ? toYaml(name) : `${toYaml(name)}: ${slug}`,
    )
    return `${list}:\n${isPlain ? wrap('[', items, ']') : wrap('{', items, '}')}\n`
  })
  const removed = Object.entries(struck).map(
    ([list, names]) => `  ${list}:\n${wrap('[', names.map(toYaml), ']', '    ')}\n`,
  )
  const head = `${language}, ${label}: names from Faker ${version} (${locale}). scripts/draw-names.js draws them; common ones are chosen, and those that a reader from the country would find odd are struck. Builds read this file alone, so no world changes when Faker does. ${note ?? ''}`
  await writeFile(
    file,
    `${fill(head.trim().split(' '), '# ')}

country: { id: ${id}, label: ${label} }
texts: ${locale.startsWith('de') ? 'de' : 'en'}
${lists.join('')}${removed.length > 0 ? `struck:\n${removed.join('')}` : ''}`,
  )
}

/**
 * The names that Faker has of a locale, each list in the order of its drawing: women and men in turns.
 *
 * @param {string} locale
 */
function listNames(locale) {
  const { person, location } = allLocales[/** @type {keyof typeof allLocales} */ (locale)]
  const { generic, female, male } = person?.first_name ?? {}
  const women = shuffle(generic, female)
  const men = shuffle(generic, male)
  const isEnglish = WITH_ENGLISH_PEOPLE.includes(locale)
  return {
    first_names: isEnglish
      ? english.first_names
      : women.flatMap((name, index) => [name, men[index] ?? name]),
    surnames: isEnglish
      ? english.surnames
      : shuffle(person?.last_name?.generic, person?.last_name?.male),
    cities: shuffle(location?.city_name ?? allLocales.en.location?.city_name),
    ...(WITH_STREETS.includes(locale) && { streets: shuffle(location?.street_name) }),
  }
}

/**
 * The names of lists that Faker has, each once, in an order that depends on the names alone.
 *
 * @param {(readonly string[] | null | undefined)[]} lists
 */
function shuffle(...lists) {
  const names = new Set(lists.flatMap((list) => list ?? []))
  return new SimpleFaker({ seed: 1 }).helpers.shuffle([...names].toSorted())
}

/**
 * A name in Latin letters, as in an address. Umlauts become two letters in German and Norwegian alone.
 *
 * @param {string} name
 * @param {string} locale
 * @returns {string}
 */
function toLatin(name, locale) {
  return toSlug(/^(?:de|nb|en)/.test(locale) ? name : anyAscii(name.normalize('NFC')))
}

/** @param {string} text */
function toYaml(text) {
  return /^\p{L}[\p{L}\p{M} .’'-]*$/u.test(text) ? text : JSON.stringify(text)
}

/**
 * A list or a map in lines of a fixture's usual length.
 *
 * @param {string} open
 * @param {string[]} items
 * @param {string} close
 */
function wrap(open, items, close, indent = '  ') {
  return `${indent}${open}\n${fill(
    items.map((item) => `${item},`),
    `${indent}  `,
  )}\n${indent}${close}`
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
