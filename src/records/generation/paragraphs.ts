import type { ProjectRecord } from '../../contract/project.ts'
import type { ReportRecord } from '../../contract/report.ts'
import { parseMonth } from '../../contract/time.ts'
import { createRandom } from '../random.ts'
import type { Random } from '../random.ts'
import type { Topic } from './phrases.ts'
import { canRender, expandTemplates, parseTemplates, render } from './templates.ts'
import type { Template, Values } from './templates.ts'
import { INTENTS } from './trades.ts'
import type { Intent } from './trades.ts'
import type { Trade, LocaleWords } from './words.ts'

/** A block as it is picked: its paragraph is written when it is read. */
export interface PickedBlock {
  h3: string
  paragraph: Template
}

export interface Paragraph {
  intent: Intent
  /** Its place among those of its intent, counted from 1. */
  number: number
  template: Template
}

/** A text that a paragraph is picked for, with what is filled in. */
export interface Subject {
  topic: Topic
  values: Values
}

interface DeckKeys {
  words: LocaleWords
  project: ProjectRecord
  report: Pick<ReportRecord, 'id' | 'report_number' | 'date_to_create_texts'>
}

interface PickerKeys extends DeckKeys {
  seed: string
}

/** Reports of as many months in a row have different paragraphs. */
export const DECKS = 6

/** Whether texts about a trade, or about none, are made of paragraphs. */
export function hasParagraphs({ neutral }: LocaleWords, trade: Trade | undefined): boolean {
  return (trade ? trade.paragraphs : neutral) !== undefined
}

/**
 * Picks a block for each text of a report, as far as its paragraphs go. A report has one deck of its trade's paragraphs: the next
 * month has the next deck, and businesses of a trade with different patterns of names have different decks in a month. First
 * each text gets a paragraph that answers it, then the others get what is left.
 */
export function pickParagraphs(
  subjects: readonly Subject[],
  keys: PickerKeys,
): ReadonlyMap<Subject, PickedBlock> {
  const { words, seed, report } = keys
  const random = createRandom(seed, 'deck', report.id)
  const decks = new Map<Trade | undefined, Paragraph[]>()
  const deckOf = (trade: Trade | undefined): Paragraph[] => {
    const deck = decks.get(trade) ?? shuffle(deckFor(trade, keys), random)
    decks.set(trade, deck)
    return deck
  }
  const trades = new Set(subjects.map(({ topic }) => topic.trade))
  const picked = new Map(
    [...trades].flatMap((trade) => [
      ...matchParagraphs(
        subjects.filter(({ topic }) => topic.trade === trade),
        deckOf(trade),
        ({ topic, values }, paragraph) =>
          answers(paragraph, topic) && canRender(paragraph.template, values),
      ),
    ]),
  )
  const used = new Set(picked.values())
  for (const subject of subjects) {
    if (picked.has(subject)) continue
    const left = [...deckOf(subject.topic.trade), ...deckOf(undefined)]
    const paragraph = left.find(
      (each) => !used.has(each) && canRender(each.template, subject.values),
    )
    if (!paragraph) continue
    used.add(paragraph)
    picked.set(subject, paragraph)
  }
  const headings = new Headings(words, random)
  return new Map(
    subjects.flatMap((subject): [Subject, PickedBlock][] => {
      const paragraph = picked.get(subject)
      if (!paragraph) return []
      return [[subject, { h3: headings.next(subject, paragraph), paragraph: paragraph.template }]]
    }),
  )
}

/** Whether a paragraph is about what somebody wants to know who types a keyword. */
export function answers(
  { intent, number }: Paragraph,
  topic: Pick<Topic, 'intent' | 'texts'>,
): boolean {
  return intent === topic.intent && (topic.texts?.includes(number) ?? true)
}

/** A paragraph that fits for as many subjects as possible, the first ones first: a matching by augmenting paths. */
export function matchParagraphs<Matched>(
  subjects: readonly Matched[],
  paragraphs: readonly Paragraph[],
  fits: (subject: Matched, paragraph: Paragraph) => boolean,
): ReadonlyMap<Matched, Paragraph> {
  const owners = new Map<Paragraph, Matched>()
  const place = (subject: Matched, tried: Set<Paragraph>): boolean =>
    paragraphs.some((paragraph) => {
      if (tried.has(paragraph) || !fits(subject, paragraph)) return false
      tried.add(paragraph)
      const owner = owners.get(paragraph)
      if (owner !== undefined && !place(owner, tried)) return false
      owners.set(paragraph, subject)
      return true
    })
  for (const subject of subjects) place(subject, new Set())
  return new Map([...owners].map(([paragraph, subject]) => [subject, paragraph]))
}

/** The paragraphs of a report about a trade, or about none. */
export function deckFor(trade: Trade | undefined, keys: DeckKeys): readonly Paragraph[] {
  const paragraphs = trade ? trade.paragraphs : keys.words.neutral?.paragraphs
  if (!paragraphs) return []
  const deck = (monthOf(keys) + placeOf(trade, keys)) % DECKS
  const { currency, streets } = keys.words
  const unknown = new Set([
    'home_only',
    ...(currency ? [] : ['price_from', 'price_to']),
    ...(streets.length > 0 ? [] : ['street']),
  ])
  return INTENTS.flatMap((intent) => {
    const all = parseTemplates(paragraphs[intent]).map((template, place) => ({
      intent,
      number: place + 1,
      template,
    }))
    const own = pickDeck(all, intent, deck)
    return own.filter(({ template }) => !template.needs.some((name) => unknown.has(name)))
  })
}

/** What a deck has of an intent: the paragraph with its number, and of one intent what there is besides. */
export function pickDeck<Item>(list: readonly Item[], intent: Intent, number: number): Item[] {
  const last = INTENTS.indexOf(intent) === number ? list.slice(DECKS) : []
  return [...list.slice(number, number + 1), ...last]
}

function monthOf({ report: { date_to_create_texts: date, report_number } }: DeckKeys): number {
  return date === null ? report_number : parseMonth(date)
}

/** The place of a business among those of its trade: that of the pattern of its name, or any. */
function placeOf(trade: Trade | undefined, { project }: DeckKeys): number {
  const name = project.company_name ?? project.name
  const lengths = (trade?.companies ?? []).map((pattern) => {
    const [before = '', after = ''] = pattern.split(/\{\w+\}/)
    return name.startsWith(before) && name.endsWith(after) ? before.length + after.length : 0
  })
  const longest = Math.max(0, ...lengths)
  return longest === 0 ? project.id % DECKS : lengths.indexOf(longest)
}

/** A list in another order. */
function shuffle<Item>(list: readonly Item[], random: Random): Item[] {
  const shuffled = [...list]
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const place = random.integer(0, last)
    const item = shuffled[last] as Item
    shuffled[last] = shuffled[place] as Item
    shuffled[place] = item
  }
  return shuffled
}

/** The headings of a report, none of which is used twice while others are left. */
class Headings {
  readonly #words: LocaleWords
  readonly #random: Random
  /** A keyword of blanks has no phrase. */
  readonly #used = new Set([''])

  constructor(words: LocaleWords, random: Random) {
    this.#words = words
    this.#random = random
  }

  /** The heading of a text, with its phrase. */
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
