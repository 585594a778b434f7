import { describe } from '../../src/contract/text.ts'
import { suggest } from '../../src/contract/suggestion.ts'
import { validate } from '../../src/contract/validate.ts'
import { boundProblems, formatPath } from '../../src/contract/validation.ts'
import type { Path, Problem, Validated } from '../../src/contract/validation.ts'
import { isNearTwin } from '../../src/records/generation/companies.ts'
import { toSlug } from '../../src/records/generation/slug.ts'
import { DECKS, pickDeck } from '../../src/records/generation/paragraphs.ts'
import { phrasesOf } from '../../src/records/generation/phrases.ts'
import { fill, splitSentences } from '../../src/records/generation/templates.ts'
import { Texts } from '../../src/records/generation/texts.ts'
import type { TradeTexts } from '../../src/records/generation/texts.ts'
import { INTENTS } from '../../src/records/generation/trades.ts'
import { checkParagraph } from './check-paragraph.ts'
import { checkPlaceholders, checkTemplate } from './check-template.ts'
import type { TemplateRules } from './check-template.ts'

const DETAILS = ['company', 'city', 'street', 'year', 'hours', 'name', 'colleague']
const SERVICE = ['service', 'Service']
const PHRASE = ['phrase', 'Phrase']

const FIRST_HEADING: TemplateRules = {
  form: 'heading',
  placeholders: [...PHRASE, ...SERVICE],
  needs: PHRASE,
}
const FURTHER_HEADING: TemplateRules = { form: 'heading', placeholders: SERVICE }
const OPENING: TemplateRules = {
  form: 'sentence',
  placeholders: [...DETAILS, ...SERVICE, 'phrase'],
}
/** The phrase is in headings and openings alone, so that a block does not have it more than twice. */
const SENTENCE: TemplateRules = { form: 'sentence', placeholders: [...DETAILS, ...SERVICE] }

/** Placeholders of paragraphs: no phrase, but facts of the project. */
const FACTS = ['place', 'opens', 'closes', 'years', 'price_from', 'price_to', 'wait', 'team']

/** Placeholders of labels, all of them required. */
const LABEL_PLACEHOLDERS = {
  since: ['month'],
  author: ['name'],
}
const SUMMARY_PLACEHOLDERS = {
  none: ['count'],
  one: ['count'],
  several: ['top', 'count'],
  all: ['count'],
  single: ['position'],
  before: ['before'],
  earlier: ['month', 'count'],
  rise: ['month', 'keyword', 'from', 'to'],
  fall: ['month', 'keyword', 'from', 'to'],
}

const LEAST_PHRASES = 60

/** Lists whose items are drawn with equal odds. */
const PLAIN_LISTS = ['first_names', 'surnames', 'roles', 'cities', 'towns', 'streets'] as const

/** The texts of a language, or their problems. */
export function checkTexts(document: unknown): Validated<Texts> {
  const checked = validate(Texts, document)
  if ('problems' in checked) return checked
  const problems = findProblems(checked.value)
  return problems.length > 0 ? { problems: boundProblems(problems) } : checked
}

/** Problems of texts that their schema accepts. */
function findProblems(texts: Texts): Problem[] {
  const { summary, ...plainLabels } = texts.labels
  const { mailboxes, in_city, address, nearby, signals, towns, trades } = texts
  const templates = [...templatesOf(texts)]
  const paragraphs = [...paragraphsOf(texts)]
  const plainLists: Listed[] = [
    ...PLAIN_LISTS.map((name) => ({ path: [name], list: texts[name] })),
    { path: ['sentences', 'hours'], list: texts.sentences?.hours ?? [] },
    ...factsOf(texts),
  ]
  return [
    ...each(templates, (text, { rules }) => checkTemplate(text, rules)),
    // The phrase distinguishes first headings of two lists.
    ...templates.flatMap((listed) =>
      listed.rules === FIRST_HEADING ? findRepeated([listed]) : [],
    ),
    ...findRepeated(templates.filter(({ rules }) => rules === FURTHER_HEADING)),
    ...findRepeated(templates.filter(({ rules }) => rules.form === 'sentence')),
    ...each(paragraphs, (text, { keywords }) =>
      checkParagraph(text, {
        keywords,
        nearby: nearby.phrases,
        currency: texts.currency?.name ?? '',
        placeholders: [...DETAILS, ...FACTS, ...(keywords.length > 0 ? SERVICE : [])],
      }),
    ),
    ...findRepeatedSentences(paragraphs),
    ...findPlainDecks(texts),
    ...findMissing(texts),
    ...findRepeated(
      Object.entries(trades).map(([trade, { services }]) => ({
        path: ['trades', trade, 'services'],
        list: services,
      })),
    ),
    ...plainLists.flatMap(({ path, list }) => findRepeated([{ path, list: Object.values(list) }])),
    ...each(plainLists, (text) => refuse(text, /^[^{}()|[\]]+$/, 'Nothing is filled in here.')),
    ...each([{ path: [], list: { in_city } }], (text) =>
      checkPlaceholders(text, ['city'], ['city']),
    ),
    ...checkLabels(['labels'], plainLabels, LABEL_PLACEHOLDERS),
    ...checkLabels(['labels', 'summary'], summary, SUMMARY_PLACEHOLDERS),
    ...each(
      [{ path: [], list: { address } }],
      (text) =>
        checkPlaceholders(text, ['street', 'number'], ['street']) ??
        checkPlaceholders(text, ['street', 'number'], ['number']),
    ),
    ...each(
      [
        { path: ['mailboxes', 'general'], list: mailboxes.general },
        { path: ['mailboxes'], list: { booking: mailboxes.booking, reports: mailboxes.reports } },
      ],
      (text) => refuse(text, /^[a-z]+$/, 'Write one word in lower-case ASCII.'),
    ),
    ...each(
      [
        { path: ['nearby', 'phrases'], list: nearby.phrases },
        ...Object.entries(signals).map(([intent, list]) => ({ path: ['signals', intent], list })),
      ],
      refuseCapitals,
    ),
    ...each([{ path: ['towns'], list: towns }], (text) =>
      refuse(text, /\p{Lu}/u, 'Write its name with a capital letter, after its preposition.'),
    ),
    ...texts.brand.flatMap((keyword, index) => checkBrand(keyword, ['brand', index])),
    ...findSharedNames(trades),
    ...findNearTwins(texts.surnames),
    ...Object.entries(trades).flatMap(([name, trade]) =>
      checkTrade(trade, nearby.phrases).map(({ path, ...problem }) => ({
        ...problem,
        path: ['trades', name, ...path],
      })),
    ),
  ]
}

/** Finds missing parts: a trade is written with paragraphs, or with sentences, and each form has requirements. */
function findMissing(texts: Texts): Problem[] {
  const trades = Object.entries(texts.trades)
  const missing = (path: Path, isMissing: boolean, message: string) =>
    isMissing ? [{ path, message }] : []
  const isComplete = trades.every(([, { paragraphs }]) => paragraphs)
  return [
    ...trades.flatMap(([name, { paragraphs, general, facts, sentences, services }]) => {
      const path = ['trades', name]
      if (paragraphs) {
        const isMissing = general === undefined || facts === undefined
        return missing(path, isMissing, 'Where paragraphs are, general and facts are needed too.')
      }
      if (!sentences) return [{ path, message: 'Write paragraphs, or sentences.' }]
      const isOther = services.join() !== Object.keys(sentences.services).join()
      return missing(
        [...path, 'sentences', 'services'],
        isOther,
        'Write sentences about each of the services, in their order.',
      )
    }),
    ...missing([], !isComplete && !texts.sentences, 'Trades without paragraphs need sentences.'),
    ...missing(
      [],
      trades.some(([, { paragraphs }]) => paragraphs) && !texts.currency,
      'Trades with paragraphs need a currency.',
    ),
    ...missing([], isComplete && !texts.neutral, 'A locale with paragraphs needs neutral ones.'),
  ]
}

function checkLabels(
  path: Path,
  list: Readonly<Record<string, string>>,
  placeholders: Readonly<Record<string, readonly string[]>>,
): Problem[] {
  return Object.entries(list).flatMap(([name, label]) => {
    const all = placeholders[name] ?? []
    return each([{ path, list: { [name]: label } }], (text) =>
      all.length === 0
        ? refuse(text, /^[^{}]+$/, 'Nothing is filled in here.')
        : all
            .map((needed) => checkPlaceholders(text, all, [needed]))
            .find((message) => message !== undefined),
    )
  })
}

/** Texts of one kind, and their place. */
interface Listed {
  path: Path
  list: readonly string[] | Readonly<Record<string, string>>
}

/** Values for `{hours}`, `{wait}` and `{team}`. */
function* factsOf({ neutral, trades }: Texts): Iterable<Listed> {
  const all = Object.entries(trades).map(([name, { facts }]) => ({ path: ['trades', name], facts }))
  for (const { path, facts } of [...all, { path: ['neutral'], facts: neutral?.facts }]) {
    if (!facts) continue
    yield { path: [...path, 'facts', 'hours'], list: facts.hours.map(({ hours }) => hours) }
    yield { path: [...path, 'facts', 'wait'], list: facts.wait }
    yield { path: [...path, 'facts', 'team'], list: facts.team }
  }
}

interface Paragraphs extends Listed {
  list: readonly string[]
  /** Keywords that are typed to search for their trade; empty for neutral ones. */
  keywords: TradeTexts['keywords']
}

function* paragraphsOf({ neutral, trades }: Texts): Iterable<Paragraphs> {
  for (const intent of INTENTS) {
    for (const [name, { paragraphs, keywords }] of Object.entries(trades)) {
      const path = ['trades', name, 'paragraphs', intent]
      if (paragraphs) yield { path, list: paragraphs[intent], keywords }
    }
    if (neutral) {
      const path = ['neutral', 'paragraphs', intent]
      yield { path, list: neutral.paragraphs[intent], keywords: [] }
    }
  }
}

/** Finds sentences that a report would have twice: it has paragraphs of one trade and neutral ones. */
function findRepeatedSentences(paragraphs: readonly Paragraphs[]): Problem[] {
  const places = new Map<string, Path>()
  return paragraphs.flatMap(({ path, list }) =>
    list.flatMap((paragraph, index) =>
      splitSentences(paragraph).flatMap((sentence) => {
        const place = [...path, index]
        const first = places.get(sentence)
        if (!first) places.set(sentence, place)
        const message = `${describe(sentence)} is already in ${formatPath(first ?? [])}. Write something else.`
        return first ? [{ path: place, message }] : []
      }),
    ),
  )
}

/** Placeholders whose values differ between businesses. */
const FACT = new RegExp(`\\{(?:${[...DETAILS, ...FACTS].join('|')})\\}`)
const LEAST_FACTS = 4

/** Finds decks with too few facts: two businesses get the same deck in different months. */
function findPlainDecks({ neutral, trades }: Texts): Problem[] {
  const all = Object.entries(trades).map(([name, { paragraphs }]) => ({
    path: ['trades', name, 'paragraphs'],
    paragraphs,
  }))
  return [...all, { path: ['neutral', 'paragraphs'], paragraphs: neutral?.paragraphs }].flatMap(
    ({ path, paragraphs }) => {
      if (!paragraphs) return []
      return Array.from({ length: DECKS }, (_, number) => {
        const deck = INTENTS.flatMap((intent) => pickDeck(paragraphs[intent], intent, number))
        const count = deck.filter((paragraph) => FACT.test(paragraph)).length
        const message = `Of deck ${number + 1}, ${count} paragraphs state a fact of the business. Write at least ${LEAST_FACTS}.`
        return count < LEAST_FACTS ? [{ path, message }] : []
      }).flat()
    },
  )
}

function* templatesOf(
  texts: Texts,
): Iterable<Listed & { list: readonly string[]; rules: TemplateRules }> {
  for (const intent of INTENTS) {
    yield { path: ['headings', intent], list: texts.headings[intent], rules: FIRST_HEADING }
  }
  const { headings } = texts.around
  yield { path: ['around', 'headings'], list: headings, rules: FIRST_HEADING }
  if (texts.sentences) yield* listedSentences(texts.sentences)
  for (const [name, { sentences }] of Object.entries(texts.trades)) {
    if (!sentences) continue
    const path = ['trades', name, 'sentences']
    yield { path: [...path, 'any'], list: sentences.any, rules: SENTENCE }
    for (const [service, list] of Object.entries(sentences.services)) {
      yield { path: [...path, 'services', service], list, rules: SENTENCE }
    }
  }
}

function* listedSentences(
  texts: NonNullable<Texts['sentences']>,
): Iterable<Listed & { list: readonly string[]; rules: TemplateRules }> {
  for (const [key, list] of Object.entries(texts.openings)) {
    yield { path: ['sentences', 'openings', key], list, rules: OPENING }
  }
  for (const intent of INTENTS) {
    yield { path: ['sentences', 'advice', intent], list: texts.advice[intent], rules: SENTENCE }
  }
  yield { path: ['sentences', 'around'], list: texts.around, rules: OPENING }
  yield { path: ['sentences', 'sections'], list: texts.sections, rules: FURTHER_HEADING }
  for (const name of ['details', 'premises', 'middles', 'closings'] as const) {
    yield { path: ['sentences', name], list: texts[name], rules: SENTENCE }
  }
}

function checkTrade(trade: TradeTexts, nearby: readonly string[]): Problem[] {
  const { words, companies, keywords, services: names } = trade
  const phrases = phrasesOf(trade, 'Bramsted').length
  return [
    ...each([{ path: ['words'], list: words }], refuseCapitals),
    ...each(
      [{ path: ['companies'], list: companies }],
      (text) =>
        checkPlaceholders(text, ['surname', 'city'], ['surname', 'city']) ??
        refuse(
          fill(text, { surname: 'Kjeld', city: 'Bramsted' }),
          /^\p{Lu}[^{}]+$/u,
          'Begin with a capital letter, and write {surname} or {city} once.',
        ),
    ),
    ...keywords.flatMap((keyword, index) => checkKeyword(keyword, { index, names, nearby })),
    ...(phrases >= LEAST_PHRASES
      ? []
      : [
          {
            path: ['keywords'],
            message: `These make ${phrases} phrases. Write some with {service}, for at least ${LEAST_PHRASES}.`,
          },
        ]),
  ]
}

function checkKeyword(
  { typed, natural, only = [], except = [] }: TradeTexts['keywords'][number],
  { index, names, nearby }: { index: number; names: readonly string[]; nearby: readonly string[] },
): Problem[] {
  const path = ['keywords', index]
  const near = nearby.find((phrase) => typed.includes(phrase)) ?? '{city}'
  const place = natural.includes('{city}') ? '{city}' : '{place}'
  const doubled = (text: string): string | undefined =>
    names
      .filter((service) => !except.includes(service))
      .filter((service) => only.length === 0 || only.includes(service))
      .map((service) => fill(text, { service }))
      .filter((phrase) => /(?<!\p{L})(\p{L}+) \1(?!\p{L})/iu.test(phrase))
      .map(
        (phrase) =>
          `${describe(phrase)} has a word twice. Change it, or list the service under except.`,
      )[0]
  return [
    ...each(
      [{ path, list: { typed } }],
      (text) => checkPlaceholders(text, ['service', 'city']) ?? doubled(text),
    ),
    ...each(
      [{ path, list: { natural } }],
      (text) =>
        checkPlaceholders(text, ['service', 'city', 'place']) ??
        checkNatural(natural, typed.replace(near, place)) ??
        doubled(text),
    ),
    ...each(
      [
        { path: [...path, 'except'], list: except },
        { path: [...path, 'only'], list: only },
      ],
      (service) =>
        names.includes(service)
          ? undefined
          : `${describe(service)} is not a service of this trade. ${suggest(service, names)}`,
    ),
  ]
}

/** The fault of the natural form of a typed phrase, with its place as the sentence has it; undefined for none. */
function checkNatural(natural: string, typed: string): string | undefined {
  if (/[[\]]/.test(natural.replaceAll(/\[\p{L}+\] /gu, ''))) {
    return 'Brackets hold one word, with a space after them: [a] dentist.'
  }
  const missing = typed
    .split(' ')
    .find((word) => !natural.toLowerCase().includes(word.toLowerCase()))
  return missing && `This lacks ${describe(missing)}, which is typed. Keep every word of it.`
}

function checkBrand({ typed, natural }: Texts['brand'][number], path: Path): Problem[] {
  return [
    ...each([{ path, list: { typed } }], (text) =>
      checkPlaceholders(text, ['company', 'city'], ['company']),
    ),
    ...each(
      [{ path, list: { natural } }],
      (text) =>
        checkPlaceholders(text, ['company', 'place'], ['company']) ??
        checkNatural(text, typed.replace('{city}', '{place}')),
    ),
  ]
}

/** A problem for each faulty text of the lists. */
function each<List extends Listed>(
  lists: readonly List[],
  check: (text: string, list: List) => string | undefined,
): Problem[] {
  return lists.flatMap((listed) =>
    Object.entries(listed.list).flatMap(([key, text]) => {
      const message = check(text, listed)
      const step = Array.isArray(listed.list) ? Number(key) : key
      return message === undefined ? [] : [{ path: [...listed.path, step], message }]
    }),
  )
}

/** A problem for each text that repeats an earlier one. */
function findRepeated(lists: readonly (Listed & { list: readonly string[] })[]): Problem[] {
  const firstOf = new Map<string, Path>()
  return lists.flatMap(({ path, list }) =>
    list.flatMap((text, index) => {
      const place = [...path, index]
      const first = firstOf.get(text)
      if (!first) firstOf.set(text, place)
      const message = `This is already ${formatPath(first ?? [])}. Write something else.`
      return first ? [{ path: place, message }] : []
    }),
  )
}

/** A problem for each surname that is easily confused with an earlier one. */
function findNearTwins(surnames: readonly string[]): Problem[] {
  const slugs = surnames.map(toSlug)
  return surnames.flatMap((surname, index) => {
    const first = slugs.slice(0, index).findIndex((slug) => isNearTwin(slug, slugs[index] ?? ''))
    if (first === -1 || surnames[first] === surname) return []
    const message = `This is easily confused with ${surnames[first]}. Choose another.`
    return [{ path: ['surnames', index], message }]
  })
}

/** A problem for each trade that has the name of an earlier one. */
function findSharedNames(trades: Texts['trades']): Problem[] {
  const all = Object.entries(trades)
  return all.flatMap(([key, { name }], index) => {
    const first = all.slice(0, index).find(([, trade]) => trade.name === name)
    if (!first) return []
    const message = `This is already the name of ${first[0]}. Write something else.`
    return [{ path: ['trades', key, 'name'], message }]
  })
}

function refuseCapitals(text: string): string | undefined {
  return text === text.toLowerCase()
    ? undefined
    : `${describe(text)} has capitals. Write it in lower case.`
}

function refuse(text: string, pattern: RegExp, remedy: string): string | undefined {
  return pattern.test(text) ? undefined : `${describe(text)} does not fit here. ${remedy}`
}
