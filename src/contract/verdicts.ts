/** What a review says of a client as a whole. */
export const VERDICTS = ['passed', 'failed', 'nothing-read', 'nothing-asked'] as const

/** How bad a finding is, the worst first. An error fails the review; a warning and a notice are only shown. */
export const SEVERITIES = ['error', 'warning', 'notice'] as const
