/** Possible results of a client's review as a whole. */
export const VERDICTS = ['passed', 'failed', 'nothing-read', 'nothing-asked'] as const

/** Severities of a finding, the worst first. By itself, only an error fails the review. */
export const SEVERITIES = ['error', 'warning', 'notice'] as const
