/** The path that the control API is mounted under, outside the emulated API. */
export const CONTROL_PREFIX = '/_sandbox'
