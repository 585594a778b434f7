/** The files of the console are below this path. */
export const CONSOLE_PREFIX = '/console'
