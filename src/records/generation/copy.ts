/** What somebody who types a phrase wants to know. */
export const INTENTS = ['price', 'place', 'comparison', 'urgency', 'howTo', 'reviews'] as const
export type Intent = (typeof INTENTS)[number]

/**
 * The words of one language that generated projects and texts are written with. Texts are templates. `(Ring|Call)`
 * stands for one of its alternatives; these are filled in:
 *
 * - `{phrase}` is the keyword as a part of a sentence, `{Phrase}` as the beginning of a heading
 * - `{service}` is what the keyword is about, `{Service}` with a capital letter
 * - `{city}` is where the business is, `{place}` the same with its preposition (`in Leeds`)
 * - `{company}`, `{street}` with a number, `{year}` of foundation, `{hours}` and the first names `{name}` and
 *   `{colleague}` are the project's
 *
 * A template whose values are not known is left out.
 */
export interface Copy {
  /** The country of its projects, and the language of their texts (specification 2.3). */
  country: { id: number; label: string }
  language: { id: number; label: string }
  /** Where its businesses are. */
  cities: readonly string[]
  /** What is said of a city (`in {city}`). */
  inPlace: string
  /** Other places that phrases may name, as `in London`. */
  towns: readonly string[]
  /** What phrases say for a place near by, and what a text says where no city is known. */
  nearby: { phrases: readonly string[]; place: string }
  /** The quotation marks round a phrase that is in none of the lists. */
  quotes: readonly [string, string]
  /** Words that tell an intent, in lower case. */
  signals: Readonly<Record<Intent, readonly string[]>>
  /** Streets, where Faker's are not those of the country; the form of an address (`{number} {street}`), and when a business is open. */
  streets?: readonly string[]
  address: string
  hours: readonly string[]
  /** What report types are called (`Monthly report`), the usual one first. */
  reportNames: readonly string[]
  /** What the users of an agency do (`Account manager`). */
  roles: readonly string[]
  trades: readonly Trade[]
  /** The first heading and sentence of a text, by the intent of its phrase, and advice for it. */
  headings: Readonly<Record<Intent, readonly string[]>>
  openings: Readonly<Record<Intent, readonly string[]>>
  advice: Readonly<Record<Intent, readonly string[]>>
  /** Headings of further blocks. */
  sections: readonly string[]
  /** Sentences with details of the project. */
  details: readonly string[]
  /** The same about its premises: how to get there, where to park. Not for a trade that goes to its customers. */
  premises: readonly string[]
  /** Sentences that fit any trade, to continue and end a block. */
  middles: readonly string[]
  closings: readonly string[]
  /** What is written around a phrase that is in none of the lists; it has quotation marks in sentences. */
  around: {
    headings: readonly string[]
    openings: readonly string[]
    sentences: readonly string[]
  }
}

/** A kind of small business that wants to be found on the web. */
export interface Trade {
  /** Its name in English, for its domain and for readers of this code (`dentist`). */
  name: string
  /**
   * Words by which a phrase in none of the lists is recognised, or the name of a business, in lower case. Each is a
   * beginning of words, or whole words where it ends with a space.
   */
  words: readonly string[]
  /** Whether it works where its customers are, so that no text invites them to its premises. */
  isMobile?: true
  /** Names of businesses, `{surname}` and `{city}` in them (`{surname} Tandlæger`). */
  companies: readonly string[]
  /** Keywords to search for it. */
  keywords: readonly KeywordPattern[]
  /** Paths of its pages, without a leading slash (`tandblegning`), ASCII. */
  pages: readonly string[]
  /** Sentences about this trade alone. */
  sentences: readonly string[]
  /** What it offers, in the form that fits the templates, and sentences about each; no two trades share one. */
  services: Readonly<Record<string, readonly string[]>>
}

/**
 * A kind of keyword: what is typed (`{service} cost`), what it asks for, and how a text says it (`the cost of
 * {service}`), with what only a sentence has in brackets (`[a] dentist {place}`). It may name services that it
 * does not fit.
 */
export type KeywordPattern = readonly [
  typed: string,
  intent: Intent,
  natural: string,
  exceptions?: readonly string[],
]
