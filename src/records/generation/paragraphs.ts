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

interface Paragraph {
  intent: Intent
  template: Template
}

type ByIntent = Readonly<Record<Intent, readonly string[]>>

/** A text that paragraphs are picked for, with what is filled in. */
export interface Subject {
  topic: Topic
  values: Values
}

interface PickerKeys {
  words: LocaleWords
  seed: string
  project: number
  report: { id: number; report_number: number }
}

/** Whether texts about a trade, or about none, are made of paragraphs. */
export function hasParagraphs({ neutral }: LocaleWords, trade: Trade | undefined): boolean {
  return (trade ? trade.paragraphs : neutral) !== undefined
}

/**
 * Picks the paragraphs of a report for its texts, two each: the first is about what somebody who types the keyword wants to
 * know, if there are enough of those, the second one about something else. No paragraph or heading is picked twice. A project's
 * paragraphs are in two halves, for reports with odd and with even numbers, so that none is in the next report.
 */
export function pickParagraphs(
  subjects: readonly Subject[],
  keys: PickerKeys,
): ReadonlyMap<Subject, readonly PickedBlock[]> {
  const { words, seed, report } = keys
  const random = createRandom(seed, 'deal', report.id)
  const picker = new ParagraphPicker(keys, random)
  const answers = subjects.map((subject) => {
    const isAnswer = ({ intent }: Paragraph) => intent === subject.topic.intent
    return (
      picker.takeOwn(subject, (paragraph) => isAnswer(paragraph) && namesService(paragraph)) ??
      picker.takeOwn(subject, isAnswer)
    )
  })
  const firsts = subjects.map(
    (subject, place) =>
      answers[place] ?? picker.takeOwn(subject, namesService) ?? picker.take(subject, isAny),
  )
  const seconds = subjects.map((subject, place) => {
    const first = firsts[place]?.intent
    return picker.take(subject, ({ intent }) => intent !== first) ?? picker.take(subject, isAny)
  })
  const headings = new Headings(words, random)
  return new Map(
    subjects.map((subject, place) => {
      const [first, second] = [firsts[place], seconds[place]]
      const blocks = [
        first && { h3: headings.first(subject, first), paragraph: first.template },
        second && { h3: headings.further(second), paragraph: second.template },
      ]
      return [subject, blocks.filter((block) => block !== undefined)]
    }),
  )
}

const isAny = () => true

function namesService({ template: { needs } }: Paragraph): boolean {
  return needs.includes('service') || needs.includes('Service')
}

/** The paragraphs of a report that are not picked yet. */
class ParagraphPicker {
  readonly #keys: PickerKeys
  readonly #random: Random
  readonly #remaining = new Map<ByIntent, Paragraph[]>()

  constructor(keys: PickerKeys, random: Random) {
    this.#keys = keys
    this.#random = random
  }

  /** One of the trade where there is one left that fits, otherwise a neutral one. */
  take(subject: Subject, fits: (paragraph: Paragraph) => boolean): Paragraph | undefined {
    return this.takeOwn(subject, fits) ?? this.#takeOf(this.#neutral, subject, fits)
  }

  /** One of the trade, or a neutral one for what is about no trade. */
  takeOwn(subject: Subject, fits: (paragraph: Paragraph) => boolean): Paragraph | undefined {
    const { trade } = subject.topic
    return this.#takeOf(trade ? trade.paragraphs : this.#neutral, subject, fits)
  }

  get #neutral(): ByIntent | undefined {
    return this.#keys.words.neutral?.paragraphs
  }

  #takeOf(
    paragraphs: ByIntent | undefined,
    { values }: Subject,
    fits: (paragraph: Paragraph) => boolean,
  ): Paragraph | undefined {
    const remaining = paragraphs ? this.#remainingOf(paragraphs) : []
    const place = remaining.findIndex(
      (paragraph) => fits(paragraph) && canRender(paragraph.template, values),
    )
    return place === -1 ? undefined : remaining.splice(place, 1)[0]
  }

  #remainingOf(paragraphs: ByIntent): Paragraph[] {
    const known = this.#remaining.get(paragraphs)
    if (known) return known
    const remaining = shuffle(halfOf(paragraphs, this.#keys), this.#random)
    this.#remaining.set(paragraphs, remaining)
    return remaining
  }
}

/**
 * The half of the paragraphs for reports with odd or with even numbers. The two halves have equally many of each intent, and
 * equally many that name their service, give or take one.
 */
function halfOf(paragraphs: ByIntent, { seed, project, report }: PickerKeys): Paragraph[] {
  const random = createRandom(seed, 'halves', project)
  const half = report.report_number % 2
  let offset = random.integer(0, 1)
  return INTENTS.flatMap((intent) => {
    const all = parseTemplates(paragraphs[intent]).map((template) => ({ intent, template }))
    const naming = shuffle(all.filter(namesService), random)
    const others = shuffle(
      all.filter((paragraph) => !namesService(paragraph)),
      random,
    )
    offset = 1 - offset
    return [...naming, ...others].filter((_, place) => (place + offset) % 2 === half)
  })
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
  readonly #remaining = new Map<readonly string[], Template[]>()
  /** A keyword of blanks has no phrase. */
  readonly #used = new Set([''])

  constructor(words: LocaleWords, random: Random) {
    this.#words = words
    this.#random = random
  }

  /** The heading of the first block of a text, with its phrase. */
  first({ topic: { isListed, intent }, values }: Subject, paragraph: Paragraph): string {
    const { headings, around } = this.#words
    const own = isListed && intent === paragraph.intent ? expandTemplates(headings[intent]) : []
    return this.#next([...own, ...expandTemplates(around.headings)], values)
  }

  /** The heading of a further block. */
  further({ intent }: Paragraph): string {
    return this.#next(this.#remainingOf(this.#words.subheadings?.[intent] ?? []), {})
  }

  /** The first one that no other block has; once all are used, the first one. */
  #next(remaining: readonly Template[], values: Values): string {
    const textOf = (template: Template) => render(template, values, this.#random)
    const template = remaining.find((each) => !this.#used.has(textOf(each))) ?? remaining[0]
    const heading = template ? textOf(template) : ''
    this.#used.add(heading)
    return heading
  }

  #remainingOf(list: readonly string[]): Template[] {
    const known = this.#remaining.get(list)
    if (known) return known
    const remaining = shuffle(expandTemplates(list), this.#random)
    this.#remaining.set(list, remaining)
    return remaining
  }
}
