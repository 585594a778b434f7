import { z } from 'zod'
import { MAXIMUM_DEPTH } from './nesting.ts'

/**
 * The levels that may be around a tree in a session that restores a snapshot, which must be readable again, and some to spare.
 */
const LEVELS_AROUND = 14
const MAXIMUM_TREE_DEPTH = MAXIMUM_DEPTH - LEVELS_AROUND

/** A list or a map of JSON, of whatever shape a content scheme has; bounded in depth, so it cannot contain itself. */
export const JsonTree = z
  .union([z.array(z.unknown()), z.record(z.string(), z.unknown())], {
    error: 'This is a list or a map, of the shape that the content scheme has. Write one.',
  })
  .refine((tree) => isJson(tree, MAXIMUM_TREE_DEPTH), {
    error: `This holds what JSON cannot, is nested more than ${MAXIMUM_TREE_DEPTH} deep, or contains itself. Write plain JSON.`,
  })

function isJson(value: unknown, depth: number): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || depth === 0) return false
  return Object.values(value).every((child) => isJson(child, depth - 1))
}
