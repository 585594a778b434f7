import { API_PREFIX } from '../contract/url.ts'
import { ROUTES } from '../contract/routes.ts'
import type { OperationId } from '../contract/routes.ts'
import { memoize } from '../contract/cache.ts'
import { parsePlainDecimal } from './parameters.ts'

/** An operation with the values of its path parameters, percent-decoded. */
export interface Route {
  readonly path: string
  readonly operation: OperationId
  readonly params: readonly string[]
  /** Id of the project in the path; null if there is none, or it is not a plain decimal that is a safe integer. */
  readonly project: number | null
}

interface Pattern {
  operation: OperationId
  /** One entry per segment: a literal, or null for a parameter. */
  segments: (string | null)[]
}

const PATTERNS: Pattern[] = Object.entries(ROUTES).map(([operation, { path }]) => ({
  operation: operation as OperationId,
  segments: path
    .slice(1)
    .split('/')
    .map((segment) => (segment.startsWith('{') ? null : segment)),
}))

/**
 * Finds the operation of a path, whatever the method (G-011). One trailing slash is tolerated (G-052). Undefined if no operation
 * has the path.
 */
export const route = memoize((path: string): Route | undefined => {
  if (!path.startsWith(`${API_PREFIX}/`)) return undefined
  const segments = path
    .slice(API_PREFIX.length + 1)
    .split('/')
    .map(decodePercent)
  if (segments.length > 1 && segments.at(-1) === '') segments.pop()

  const pattern = PATTERNS.find((candidate) => matches(candidate.segments, segments))
  if (!pattern) return undefined
  const params = segments.filter((_, index) => pattern.segments[index] === null)
  const { operation } = pattern
  return { path, operation, params, project: projectOf(operation, params) }
})

function projectOf(operation: OperationId, [id = '']: readonly string[]): number | null {
  const isOfProject = ROUTES[operation].path.startsWith('/projects/{project}')
  return isOfProject ? (parsePlainDecimal(id) ?? null) : null
}

function matches(pattern: (string | null)[], segments: string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((literal, index) =>
      literal === null ? segments[index] !== '' : literal === segments[index],
    )
  )
}

/** Decodes a percent-encoded path segment; returns it unchanged if the encoding is invalid. */
export function decodePercent(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch (error) {
    if (error instanceof URIError) return segment
    throw error
  }
}

/** True for an operation that shows reports of the project in its path. */
export function hasReports(operation: OperationId): boolean {
  return ROUTES[operation].path.startsWith('/projects/{project}/reports')
}
