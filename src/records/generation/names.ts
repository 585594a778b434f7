/**
 * The names of one locale that people, agencies and addresses are made of. People's names are common ones of the
 * country, by its statistics office, and read well inside the name of a business.
 */
export interface Names {
  firstNames: readonly string[]
  surnames: readonly string[]
  /** An agency is called by one of each: `Northlight` and `Media`. */
  agencies: { names: readonly string[]; kinds: readonly string[] }
  /** The first parts of e-mail addresses by role, lower-case ASCII. */
  mailboxes: {
    /** For any business, the usual one first (`kontakt`). */
    general: readonly string[]
    /** For one that takes bookings (`booking`). */
    booking: string
    /** Where an agency receives copies of reports (`rapporter`). */
    reports: string
  }
}

/** A list of single words, written as one text because it is long. */
export function words(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}
