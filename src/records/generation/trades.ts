/** Intents behind a typed phrase. */
export const INTENTS = ['price', 'place', 'comparison', 'urgency', 'how_to', 'reviews'] as const
export type Intent = (typeof INTENTS)[number]

/** Traits of a kind of small business, the same in every language. */
export interface Traits {
  /** True if the business works at its customers' premises, so that no text invites them to its own. */
  isMobile?: true
  /** True if customers of the business book a time or a place. */
  isBooked?: true
}

/** The trades of generated businesses. The companies of every seed depend on their order. */
export const TRADES = {
  dentist: { isBooked: true },
  plumber: { isMobile: true },
  restaurant: { isBooked: true },
  hairdresser: { isBooked: true },
  physiotherapist: { isBooked: true },
  'garden-centre': {},
  'bicycle-shop': {},
  'holiday-cottages': { isBooked: true },
} as const satisfies Record<string, Traits>

export type TradeName = keyof typeof TRADES
