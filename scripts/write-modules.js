import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { importBundled } from './import-bundled.js'

/**
 * Writes the contents of fixtures/ as modules of src, which browsers can load too: scenarios, the default world, the texts
 * of generated worlds, the files of `init`, and the index of docs. They are not in version control: building, testing and
 * checking run this first.
 */

const ROOT = new URL('../', import.meta.url)
const YAML = new URL('fixtures/scenarios/', ROOT)
const MODULES = new URL('src/fixtures/scenarios/', ROOT)
const LANGUAGES = new URL('src/records/generation/languages/', ROOT)
const COUNTRIES = new URL('src/records/generation/countries/', ROOT)
const STARTERS = new URL('fixtures/starters/', ROOT)

/** An alias in YAML. */
const ALIAS = /: \*\w/

/** Vitest calls this ahead of all tests. */
export async function setup() {
  await writeTexts()
  const { parseFixtures } = await importBundled('src/fixtures/parse-fixture.ts')
  await writeScenarios(parseFixtures)
  await writeDefaultSeed(parseFixtures)
  await writeStarters()
  await writeDocsIndex()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await setup()
  } catch (error) {
    // Problems in a file have their own places; a stack trace would hide them.
    if (!(error instanceof Error && 'problems' in error)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}

/** @typedef {typeof import('../src/fixtures/parse-fixture.ts').parseFixtures} ParseFixtures */

/**
 * Writes scenarios as seeds, so that loading one needs no YAML; those with aliases, whose worlds are many times larger, as
 * YAML.
 *
 * @param {ParseFixtures} parseFixtures
 */
async function writeScenarios(parseFixtures) {
  const files = (await readdir(YAML)).toSorted()
  const names = files.map((file) => file.replace(/\.yaml$/, ''))
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, YAML), 'utf8')))
  const modules = files.map(async (file, index) => {
    const text = texts[index] ?? ''
    if (ALIAS.test(text)) {
      return `/** The scenario as a fixture in YAML. */
export const SCENARIO: string = ${JSON.stringify(text)}
`
    }
    const seed = await parseFixtures({ files: [{ name: `fixtures/scenarios/${file}`, text }] })
    return `import type { Seed } from '../seed.ts'

/** The scenario as it is read from its fixture. */
export const SCENARIO: Seed = ${JSON.stringify(seed)}
`
  })
  const written = await Promise.all(modules)
  const entries = names.map((name, index) => {
    const purpose = /^# purpose: (.*)$/m.exec(texts[index] ?? '')?.[1]
    if (purpose === undefined)
      throw new Error(`fixtures/scenarios/${name}.yaml has no "# purpose:".`)
    return `  ${JSON.stringify(name)}: {
    purpose: ${JSON.stringify(purpose)},
    load: async (): Promise<Seed | string> => (await import('./${name}.ts')).SCENARIO,
  },
`
  })
  await writeFolder(MODULES, {
    ...Object.fromEntries(names.map((name, index) => [name, written[index] ?? ''])),
    index: `import type { Seed } from '../seed.ts'

/** Small worlds by name, each of which shows one edge case. One is loaded on demand, as a seed or in YAML. */
export const SCENARIOS = {
${entries.join('')}} as const

export type ScenarioName = keyof typeof SCENARIOS
`,
  })
}

/**
 * Writes the default world as a seed, so that starting it parses and validates nothing.
 *
 * @param {ParseFixtures} parseFixtures
 */
async function writeDefaultSeed(parseFixtures) {
  const seed = await parseFixtures(await readFile(new URL('fixtures/default.yaml', ROOT), 'utf8'))
  await write(
    new URL('src/fixtures/default-seed.ts', ROOT),
    `import type { Seed } from './seed.ts'

/** The world that is served when no fixture is given, as it is read from its fixture. */
export const DEFAULT_SEED: Seed = ${JSON.stringify(seed)}
`,
  )
}

/**
 * Writes a module with the texts of each language and one with the names of each other country, the modules that load them,
 * the list of all locales, and the labels of pages.
 */
async function writeTexts() {
  const { parseNames, parseTexts } = await importBundled('scripts/texts/parse-texts.ts')
  /** @type {[string, import('../src/records/generation/texts.ts').Texts][]} */
  const languages = parseTexts(await readFolder('fixtures/texts/'))
  await writeCountries(languages, parseNames(await readFolder('fixtures/names/')))
  const modules = languages.map(([locale, { labels: _labels, ...texts }]) => [
    locale,
    `import type { LocaleTexts } from '../texts.ts'

/** What fixtures/texts/${locale}.yaml has; JSON, which takes less space and less time to read than code. */
export const TEXTS = JSON.parse(\`${escapeTemplate(JSON.stringify(texts))}\`) as LocaleTexts
`,
  ])
  const entries = languages.map(
    ([locale, { language, trades }]) => `  '${locale}': {
    names: ${JSON.stringify([language.label, language.own].map((name) => name.toLowerCase()))},
    trades: ${JSON.stringify(Object.values(trades).map(({ name }) => name))},
    loadTexts: async () => (await import('./${locale}.ts')).TEXTS,
  },
`,
  )
  await writeFolder(LANGUAGES, {
    ...Object.fromEntries(modules),
    index: `/** The languages of generated worlds by locale: their names in lower case, those of the trades, and their texts, which are loaded on demand. */
export const LANGUAGES = {
${entries.join('')}}
`,
  })
  const labels = languages.map(([locale, { labels: own, language }]) => [
    language.label,
    { locale, ...own },
  ])
  await write(
    new URL('src/report-pages/labels-by-language.ts', ROOT),
    `/** What the pages of a report say besides its texts, by the name of a language. */
export const LABELS = ${JSON.stringify(Object.fromEntries(labels))}
`,
  )
}

/**
 * Writes the names of countries, and the list of all locales in the order of their countries.
 *
 * @param {[locale: string, texts: import('../src/records/generation/texts.ts').Texts][]} languages
 * @param {[locale: string, names: import('../src/records/generation/names.ts').NamesFile][]} countries
 */
async function writeCountries(languages, countries) {
  const { toSlug } = await importBundled('src/records/generation/slug.ts')
  const locales = countries.map(([locale]) => locale)
  const modules = countries.map(([locale, names]) => [
    locale,
    `import type { CountryNames } from '../names.ts'

/** Names of fixtures/names/${locale}.yaml. */
export const NAMES = JSON.parse(\`${escapeTemplate(JSON.stringify(toModule(names, toSlug)))}\`) as CountryNames
`,
  ])
  const loaders = locales.map(
    (locale) => `  ${locale}: async () => (await import('./${locale}.ts')).NAMES,\n`,
  )
  await writeFolder(COUNTRIES, {
    ...Object.fromEntries(modules),
    index: `/** The names of the countries that have no texts of their own, by locale. They are loaded on demand. */
export const NAMES = {
${loaders.join('')}}
`,
  })
  const rows = [
    ...languages.map(([locale, { country }]) => ({ locale, label: country.label, texts: locale })),
    ...countries.map(([locale, { country, texts }]) => ({ locale, label: country.label, texts })),
  ].toSorted((one, other) => one.label.localeCompare(other.label, 'en'))
  const entries = rows.map(
    ({ locale, label, texts }) => `  ${locale}: { label: '${label}', texts: '${texts}' },\n`,
  )
  await write(
    new URL('src/contract/locales.ts', ROOT),
    `/** The locales that there are texts in. */
export const TEXT_LOCALES = ${JSON.stringify(languages.map(([locale]) => locale))} as const

export type TextLocale = (typeof TEXT_LOCALES)[number]

/** The locales of generated worlds, in the order of their countries. */
export const LOCALES = ${JSON.stringify(rows.map(({ locale }) => locale))} as const

export type Locale = (typeof LOCALES)[number]

/** The country of each locale, and the locale of its texts. */
export const COUNTRIES: Readonly<Record<Locale, { label: string; texts: TextLocale }>> = {
${entries.join('')}}
`,
  )
}

/**
 * Names of a country for generated worlds, whose Latin forms are only those that `toSlug` does not give.
 *
 * @param {import('../src/records/generation/names.ts').NamesFile} names
 * @param {(name: string) => string} toSlug
 * @returns {import('../src/records/generation/names.ts').CountryNames}
 */
function toModule({ texts: _texts, struck, ...names }, toSlug) {
  /** @type {Record<string, string>} */
  const slugs = {}
  const list = (/** @type {string[] | Record<string, string>} */ entries) => {
    if (Array.isArray(entries)) return entries
    for (const [name, slug] of Object.entries(entries))
      if (toSlug(name) !== slug) slugs[name] = slug
    return Object.keys(entries)
  }
  const { women, men } = names.first_names
  return {
    ...names,
    first_names: { women: list(women), men: list(men) },
    surnames: list(names.surnames),
    cities: list(names.cities),
    slugs,
    struck: struck?.texts ?? [],
  }
}

/**
 * The files of a folder, by name.
 *
 * @param {string} folder
 */
async function readFolder(folder) {
  const names = (await readdir(new URL(folder, ROOT))).filter((name) => name.endsWith('.yaml'))
  const files = names.toSorted().map(async (name) => ({
    name: `${folder}${name}`,
    text: await readFile(new URL(`${folder}${name}`, ROOT), 'utf8'),
  }))
  return Promise.all(files)
}

async function writeStarters() {
  const { toStarters } = await importBundled('scripts/starters.ts')
  const names = await readdir(STARTERS)
  const files = names.map(async (name) => [name, await readFile(new URL(name, STARTERS), 'utf8')])
  await write(
    new URL('src/cli/starter-files.ts', ROOT),
    `/** What \`seo-sandbox init\` writes, from fixtures/starters. */
export const STARTER_FILES = ${JSON.stringify(toStarters(Object.fromEntries(await Promise.all(files))), null, 2)}
`,
  )
}

/** Writes the descriptions of the documentation's pages for `init --agents`. */
async function writeDocsIndex() {
  const { toDocsIndex } = await importBundled('scripts/docs-index.ts')
  const readme = await readFile(new URL('docs/README.md', ROOT), 'utf8')
  await write(
    new URL('src/cli/docs-index.ts', ROOT),
    `/** The pages of the documentation by their paths below docs, and what is on each, from docs/README.md. */
export const DOCS_INDEX = ${JSON.stringify(toDocsIndex(readme), null, 2)}
`,
  )
}

/**
 * A text escaped for a template literal.
 *
 * @param {string} text
 */
function escapeTemplate(text) {
  return text.replaceAll(/[\\`]|\$(?=\{)/g, String.raw`\$&`)
}

/**
 * Writes the modules of a folder by name, and removes all others.
 *
 * @param {URL} folder
 * @param {Record<string, string>} modules
 */
async function writeFolder(folder, modules) {
  await mkdir(folder, { recursive: true })
  const extra = (await readdir(folder)).filter((file) => !(file.replace(/\.ts$/, '') in modules))
  await Promise.all(extra.map((file) => rm(new URL(file, folder))))
  await Promise.all(
    Object.entries(modules).map(([name, text]) => write(new URL(`${name}.ts`, folder), text)),
  )
}

/**
 * Writes a file if it has changed; an unchanged file keeps its time, which build tools rely on.
 *
 * @param {URL} file
 * @param {string} text
 */
async function write(file, text) {
  const before = existsSync(file) ? await readFile(file, 'utf8') : undefined
  if (before !== text) await writeFile(file, text)
}
