/** The last position of a project's report sequence (specification 8). */
export const LAST_REPORT_NUMBER = 26

/** Results per page: the maximum and the default (specification 4.3, 8). */
export const MAXIMUM_PER_PAGE = 100
export const DEFAULT_PER_PAGE = 100

/** The next changes that an explanation lists: the maximum and the default. */
export const MAXIMUM_CHANGES = 500
export const DEFAULT_CHANGES = 10
