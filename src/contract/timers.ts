/** The timers as they were at import, so that fake ones of a test have no effect on what serves it. */
export const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate } = globalThis
