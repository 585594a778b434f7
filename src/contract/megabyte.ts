/** In bytes. */
export const MEGABYTE = 2 ** 20
