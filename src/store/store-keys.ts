/** Prefix of all Redis keys of a store. */
export const PREFIX = 'seo-sandbox:'

/** Key of a sorted set: the ids of all isolated worlds, by time of creation. */
export const WORLDS = `${PREFIX}worlds`

/** Key of a sorted set: the ids of the worlds of all partners, by time of invitation. */
export const PARTNERS = `${PREFIX}partners`

/** Key of a hash: the names of all partners, by the ids of their worlds. */
export const PARTNER_NAMES = `${PREFIX}partner-names`

/**
 * Key of a sorted set for look-ups by name. Each member is the name of a partner, a line break, and the id of its
 * world.
 */
export const PARTNERS_BY_NAME = `${PREFIX}partners-by-name`

/** Key of a sorted set: the ids of the worlds of partners whose client fails its review, by time of invitation. */
export const FAILED_PARTNERS = `${PREFIX}failed-partners`

/** Key of the limits that apply to each world, as JSON. */
export const LIMITS_KEY = `${PREFIX}limits`

/**
 * Prefix of the key of a text that worlds load; the rest of the key is the digest of the text. The same key with `:worlds`
 * appended holds the ids of the worlds that need the text.
 */
export const BLOB = `${PREFIX}blob:`

/**
 * Key of a sorted set: the texts whose entries are not appended yet, by time of storage. Each member is the digest of a
 * text, a space, and the id of its world.
 */
export const PUTS = `${PREFIX}puts`

/** Key that a server sets for a minute when it begins to sweep the store. */
export const SWEPT = `${PREFIX}swept`

/** Returns the Redis keys of a world; `names` are their last parts. */
export function keysOf(world: string, names: readonly string[]): string[] {
  return names.map((name) => `${PREFIX}{${world}}:${name}`)
}
