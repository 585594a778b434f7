/** The control API stands below this path, outside the emulated API. */
export const CONTROL_PREFIX = '/_sandbox'
