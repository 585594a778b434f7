/** Possible results of a client's review as a whole. */
export const VERDICTS = ['passed', 'failed', 'nothing-read', 'nothing-asked'] as const

/** Severities of a finding, the worst first. An error fails the review; a warning and a notice are only shown. */
export const SEVERITIES = ['error', 'warning', 'notice'] as const
