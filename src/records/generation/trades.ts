/** What somebody who types a phrase wants to know. */
export const INTENTS = ['price', 'place', 'comparison', 'urgency', 'how_to', 'reviews'] as const
export type Intent = (typeof INTENTS)[number]

/** What distinguishes a kind of small business in every language. */
export interface Traits {
  /** Whether it works where its customers are, so that no text invites them to its premises. */
  isMobile?: true
  /** Whether its customers book a time or a place. */
  isBooked?: true
}

/** The businesses that projects are for. The companies of a seed follow from their order. */
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
