/** The names of the keys of a store in Redis. */

export const PREFIX = 'seo-sandbox:'

/** The ids of all isolated worlds, by time of creation. */
export const WORLDS = `${PREFIX}worlds`

/** The worlds of all partners, by time of invitation. */
export const PARTNERS = `${PREFIX}partners`

/** The names of all partners, by the ids of their worlds. */
export const PARTNER_NAMES = `${PREFIX}partner-names`

/** The names of all partners, sorted for searching: each with a line break and the id. */
export const PARTNERS_BY_NAME = `${PREFIX}partners-by-name`

/** The worlds of partners whose client fails its review, by time of invitation. */
export const FAILED_PARTNERS = `${PREFIX}failed-partners`

/** The host's limits for each world, as JSON. */
export const LIMITS_KEY = `${PREFIX}limits`

/** Prefix of the texts that worlds load, each under its digest, and beside it the worlds that need it. */
export const BLOB = `${PREFIX}blob:`

/** Texts whose entries have not been appended yet, by time of storage. */
export const PUTS = `${PREFIX}puts`

/** Set for a minute after a server has swept the store. */
export const SWEPT = `${PREFIX}swept`

/** Returns the keys that belong to a world. */
export function keysOf(world: string, names: readonly string[]): string[] {
  return names.map((name) => `${PREFIX}{${world}}:${name}`)
}
