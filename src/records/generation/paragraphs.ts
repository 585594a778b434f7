import type { KeywordRecord } from '../../contract/keyword.ts'
import type { ProjectRecord } from '../../contract/project.ts'
import type { ReportRecord } from '../../contract/report.ts'
import { parseMonth } from '../../contract/time.ts'
import { permute } from '../permutation.ts'
import { createRandom } from '../random.ts'
import type { Random } from '../random.ts'
import type { Topic } from './phrases.ts'
import { canRender, expandTemplates, parseTemplates, render } from './templates.ts'
import type { Template, Values } from './templates.ts'
import { INTENTS } from './trades.ts'
import type { Intent } from './trades.ts'
import type { Trade, LocaleWords } from './words.ts'

/** A block whose paragraph is not yet filled in. */
export interface PickedBlock {
  h3: string
  paragraph: Template
}

interface Paragraph {
  intent: Intent
  /** Position among the paragraphs of its intent, from 1. */
  number: number
  template: Template
}

/** A keyword that a report may have a text about, with the values of placeholders in that text. */
export interface Subject {
  keyword: KeywordRecord
  topic: Topic
  values: Values
}

interface PickerKeys {
  words: LocaleWords
  seed: string
  project: ProjectRecord
  report: Pick<ReportRecord, 'id' | 'report_number' | 'date_to_create_texts'>
}

/** Number of decks of paragraphs. The reports of a business in this many consecutive months have different paragraphs. */
export const DECKS = 6

/**
 * Picks the keywords of a report that get texts, and a block for each. A report uses one deck of paragraphs per trade. The deck
 * changes every month, and differs between businesses of one trade whose names have different patterns. At most `most` keywords get
 * a paragraph that answers them. If these are fewer than `least`, further keywords get unused paragraphs, neutral ones included.
 */
export function pickBlocks(
  subjects: readonly Subject[],
  { most, least }: { most: number; least: number },
  keys: PickerKeys,
): ReadonlyMap<Subject, PickedBlock> {
  const { words, seed, report } = keys
  const decks = new Map<Trade | undefined, readonly Paragraph[]>()
  const deckOf = (trade: Trade | undefined): readonly Paragraph[] => {
    const deck = decks.get(trade) ?? permute(createDeck(trade, keys), seed, 'deck', report.id)
    decks.set(trade, deck)
    return deck
  }
  const inOrder = permute(subjects, seed, 'covered', report.id)
  const answers = matchParagraphs(inOrder, ({ topic }) => deckOf(topic.trade))
  const picked = new Map([...answers].slice(0, Math.max(0, most)))
  const used = new Set(picked.values())
  // Paragraphs of the same intent are tried first, because they come closest to an answer.
  const rest = [true, false].flatMap((isSameIntent) =>
    inOrder.map((subject) => ({ subject, isSameIntent })),
  )
  for (const { subject, isSameIntent } of rest) {
    if (picked.size >= least) break
    if (picked.has(subject)) continue
    const deck = deckOf(subject.topic.trade)
    const candidates = isSameIntent
      ? deck.filter(({ intent }) => intent === subject.topic.intent)
      : [...deck, ...deckOf(undefined)]
    const paragraph = candidates.find(
      (each) => !used.has(each) && canRender(each.template, subject.values),
    )
    if (!paragraph) continue
    used.add(paragraph)
    picked.set(subject, paragraph)
  }
  const headings = new Headings(words, createRandom(seed, 'headings', report.id))
  return new Map(
    subjects.flatMap((subject): [Subject, PickedBlock][] => {
      const paragraph = picked.get(subject)
      if (!paragraph) return []
      return [[subject, { h3: headings.next(subject, paragraph), paragraph: paragraph.template }]]
    }),
  )
}

/** Assigns an answering paragraph to as many subjects as possible: a matching by augmenting paths. */
function matchParagraphs(
  subjects: readonly Subject[],
  deckOf: (subject: Subject) => readonly Paragraph[],
): ReadonlyMap<Subject, Paragraph> {
  const owners = new Map<Paragraph, Subject>()
  const place = (subject: Subject, tried: Set<Paragraph>): boolean =>
    deckOf(subject).some((paragraph) => {
      if (tried.has(paragraph) || !isAnswer(paragraph, subject)) return false
      tried.add(paragraph)
      const owner = owners.get(paragraph)
      if (owner !== undefined && !place(owner, tried)) return false
      owners.set(paragraph, subject)
      return true
    })
  for (const subject of subjects) place(subject, new Set())
  return new Map([...owners].map(([paragraph, subject]) => [subject, paragraph]))
}

function isAnswer({ intent, number, template }: Paragraph, { topic, values }: Subject): boolean {
  const isListed = topic.texts?.includes(number) ?? true
  return intent === topic.intent && isListed && canRender(template, values)
}

/** Returns the deck of a report for keywords of a trade; the deck of neutral paragraphs if `trade` is undefined. */
function createDeck(trade: Trade | undefined, keys: PickerKeys): Paragraph[] {
  const paragraphs = trade ? trade.paragraphs : keys.words.neutral?.paragraphs
  if (!paragraphs) return []
  const { date_to_create_texts: date, report_number } = keys.report
  const month = date === null ? report_number : parseMonth(date)
  const deck = (month + patternOf(keys.project, trade)) % DECKS
  return INTENTS.flatMap((intent) => {
    const all = parseTemplates(paragraphs[intent])
    const numbered = all.map((template, index) => ({ intent, number: index + 1, template }))
    return pickDeck(numbered, intent, deck)
  })
}

/**
 * Returns the items of an intent that belong to the deck `number`: the item with that index and, in one deck per intent, all items
 * from index {@link DECKS} on.
 */
export function pickDeck<Item>(list: readonly Item[], intent: Intent, number: number): Item[] {
  const last = INTENTS.indexOf(intent) === number ? list.slice(DECKS) : []
  return [...list.slice(number, number + 1), ...last]
}

/**
 * Returns the index of the pattern that fits the name of a business best, among the name patterns of its trade. If none fits,
 * returns a number below {@link DECKS} that depends on the id of the project.
 */
function patternOf({ id, name, company_name }: ProjectRecord, trade: Trade | undefined): number {
  const company = company_name ?? name
  const lengths = (trade?.companies ?? []).map((pattern) => {
    const [before = '', after = ''] = pattern.split(/\{\w+\}/)
    return company.startsWith(before) && company.endsWith(after) ? before.length + after.length : 0
  })
  const longest = Math.max(0, ...lengths)
  return longest === 0 ? id % DECKS : lengths.indexOf(longest)
}

/** The headings of a report. None is repeated while unused headings are left. */
class Headings {
  readonly #words: LocaleWords
  readonly #random: Random
  /** Includes the empty heading, which a blank keyword gives, so that any other heading is preferred to it. */
  readonly #used = new Set([''])

  constructor(words: LocaleWords, random: Random) {
    this.#words = words
    this.#random = random
  }

  /** Returns an unused heading with the phrase of a subject; if all are used, the first one; empty if there are none. */
  next({ topic: { isListed, intent }, values }: Subject, paragraph: Paragraph): string {
    const { headings, around } = this.#words
    const own = isListed && intent === paragraph.intent ? expandTemplates(headings[intent]) : []
    const texts = [...own, ...expandTemplates(around.headings)].map((template) =>
      render(template, values, this.#random),
    )
    const heading = texts.find((text) => !this.#used.has(text)) ?? texts[0] ?? ''
    this.#used.add(heading)
    return heading
  }
}
