/**
 * The texts of generated worlds, in each locale: whether they are about their keyword, and how varied they are. Names,
 * places, numbers and the phrase are masked where sentences are compared.
 */
import { createSandbox } from 'seo-sandbox'
import { LOCALES } from '../../build/records/generation/locales.js'
import { PhraseIndex } from '../../build/records/generation/phrases.js'
import { detailsOf } from '../../build/records/generation/details.js'
import { loadWords } from '../../build/records/generation/words.js'
import { atLeast, atMost, shown } from './support/report.js'
import { measureTexts, readTexts } from './support/texts.js'

const SEED = 'content'

/** Other texts are put together of sentences. */
const WITH_PARAGRAPHS = ['da', 'de', 'en']

const MEASURES = [
  {
    key: 'about',
    name: 'texts about the service of their keyword, of those that have one',
    compare: atLeast,
    bar: 0.98,
  },
  {
    key: 'phrase',
    name: 'texts with every word of their phrase in a heading or an opening',
    compare: atLeast,
    bar: 0.7,
  },
  {
    key: 'blocksWithPhrase',
    name: 'blocks with the phrase more than twice',
    compare: atMost,
    bar: 0,
  },
  { key: 'distinct', name: 'different sentences', compare: atLeast, bar: 1500 },
  {
    key: 'repeated',
    name: 'blocks that have the most frequent sentence',
    compare: atMost,
    bar: 0.01,
  },
  { key: 'named', name: 'sentences that name the company or a city', compare: atMost, bar: 0.4 },
  { key: 'malformed', name: 'blocks with malformed HTML', compare: atMost, bar: 0 },
  { key: 'foreign', name: 'addresses that are not reserved', compare: atMost, bar: 0 },
  {
    key: 'twice',
    name: 'sentences that stand twice in a report',
    compare: atMost,
    bar: 0,
    ofParagraphs: true,
  },
  {
    key: 'strange',
    name: 'numbers that are not those of the project',
    compare: atMost,
    bar: 0,
    ofParagraphs: true,
  },
]

export async function measure({ isShort }) {
  const projects = isShort ? 100 : 1000
  /** @type {ReturnType<typeof measureTexts>[]} */
  const figures = []
  for (const locale of LOCALES) figures.push(await measureLocale(locale, projects))
  const bars = MEASURES.flatMap(({ key, name, compare, bar, ofParagraphs }) =>
    LOCALES.flatMap((locale, at) =>
      ofParagraphs && !WITH_PARAGRAPHS.includes(locale)
        ? []
        : [compare(barOf(key, bar, isShort), `${locale}: ${name}`, figures[at][key])],
    ),
  )
  return {
    title: 'Texts',
    about: `the last generated report of each of ${projects} projects a locale, ${shown(figures[0].texts)} texts in ${LOCALES[0]}`,
    columns: ['', ...LOCALES, 'target'],
    rows: MEASURES.map(({ name, key, bar }) => [
      name,
      ...figures.map((figure) => figure[key]),
      bar,
    ]),
    bars,
  }
}

/** Fewer texts have fewer different sentences, each of which is in more of them. */
function barOf(key, bar, isShort) {
  if (!isShort) return bar
  return key === 'distinct' ? 1000 : key === 'repeated' ? 0.03 : bar
}

async function measureLocale(locale, projects) {
  const sandbox = await createWorld(locale, projects)
  const words = await loadWords(locale)
  const index = new PhraseIndex(words)
  const texts = await readTexts(sandbox, (project, phrase) => {
    const { trade } = index.read(phrase, undefined, project.name)
    return detailsOf(project, { words, index, seed: SEED, trade })
  })
  return measureTexts(texts, words)
}

function createWorld(locale, projects) {
  return createSandbox({ generate: { projects, locale }, seed: SEED, rateLimit: 'unlimited' })
}
