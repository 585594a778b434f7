/**
 * Mutations that no test can notice, because nothing that anybody can see depends on them. `before` and `after` are the
 * lines as `run.js` prints them.
 *
 * @type {{ file: string, before: string, after: string, because: string }[]}
 */
export const KNOWN_SURVIVORS = []
