/** A larger world would take too much memory. */
export const MAXIMUM_PROJECTS = 200_000
export const MAXIMUM_AGENCIES = 100
export const MAXIMUM_KEYWORDS = 500
export const MAXIMUM_COMPANIES = 100
