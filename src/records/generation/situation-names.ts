/** What a project can be in the middle of when the world starts, in the order of their places in a showcase. */
export const SITUATION_NAMES = ['late', 'failing', 'finished', 'paused', 'new'] as const
export type SituationName = (typeof SITUATION_NAMES)[number]
