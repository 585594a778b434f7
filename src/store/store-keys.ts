/** Prefix of all Redis keys of a store. */
export const PREFIX = 'seo-sandbox:'

/** The ids of all isolated worlds, by time of creation. */
export const WORLDS = `${PREFIX}worlds`

/** The ids of the worlds of all partners, by time of invitation. */
export const PARTNERS = `${PREFIX}partners`

/** The names of all partners, by the ids of their worlds. */
export const PARTNER_NAMES = `${PREFIX}partner-names`

/** Members for look-ups by name: the name of a partner, a line break, and the id of its world. */
export const PARTNERS_BY_NAME = `${PREFIX}partners-by-name`

/** The ids of the worlds of partners whose client fails its review, by time of invitation. */
export const FAILED_PARTNERS = `${PREFIX}failed-partners`

/** The host's limits for each world, as JSON. */
export const LIMITS_KEY = `${PREFIX}limits`

/**
 * Prefix of the key of a text that worlds load; the rest of the key is the digest of the text. The same key with `:worlds`
 * appended holds the ids of the worlds that need the text.
 */
export const BLOB = `${PREFIX}blob:`

/** Texts whose entries are not appended yet: the digest of each, a space, and the id of its world, by time of storage. */
export const PUTS = `${PREFIX}puts`

/** Set for a minute when a server begins to sweep the store. */
export const SWEPT = `${PREFIX}swept`

/** Returns the Redis keys of a world; `names` are their last parts. */
export function keysOf(world: string, names: readonly string[]): string[] {
  return names.map((name) => `${PREFIX}{${world}}:${name}`)
}
