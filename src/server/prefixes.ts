/** The pages of reports are below this path. */
export const PAGES_PREFIX = '/reports'

/** The files of the console are below this path. */
export const CONSOLE_PREFIX = '/console'
