/** The records of a sandbox as collections of `@msw/data`, to query and change in tests. */
export { CollectionError, collections, Query } from './testing/collections.ts'
export type { CollectionErrorCode, Collections } from './testing/collections.ts'
