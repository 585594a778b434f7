/**
 * The words of one language that generated projects are written with. Texts are templates: `{city}` is
 * the project's city, `{company}` its name, `{service}` one of its trade's services.
 */
export interface Copy {
  /** The country of its projects, and the language of their texts (specification 2.3). */
  country: { id: number; label: string }
  language: { id: number; label: string }
  /** Where its businesses are. */
  cities: readonly string[]
  /** What report types are called (`Monthly report`), the usual one first. */
  reportNames: readonly string[]
  /** What the users of an agency do (`Account manager`). */
  roles: readonly string[]
  trades: readonly Trade[]
  /** Headings of content blocks that fit any trade. */
  headings: readonly string[]
  /** Sentences that fit any trade, to begin, continue and end a block. */
  openings: readonly string[]
  middles: readonly string[]
  closings: readonly string[]
}

/** A kind of small business that wants to be found on the web. */
export interface Trade {
  /** Its name in English, for its domain and for readers of this code (`dentist`). */
  name: string
  /** Names of businesses, `{surname}` and `{city}` in them (`{surname} Tandlæger`). */
  companies: readonly string[]
  /** What it offers, in the form that fits the templates, in lower case except for names. */
  services: readonly string[]
  /** Keywords to search for it (`tandlæge {city}`, `{service} pris`). */
  keywords: readonly string[]
  /** Paths of its pages, without a leading slash (`tandblegning`), ASCII. */
  pages: readonly string[]
  /** Sentences about this trade alone. */
  sentences: readonly string[]
}
