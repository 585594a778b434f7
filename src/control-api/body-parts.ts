import { MEGABYTE } from '../contract/megabyte.ts'
import { bytesOf } from '../contract/plain-size.ts'
import { bodyTooLarge, routeLimit } from './body-limit.ts'
import { BodyError, parseBody } from './parse-body.ts'
import type { ControlResponse } from './routes/route.ts'
import { FIXTURES_LIMIT_MB } from './routes/worlds-routes.ts'

/** Enough for anything that is not fixtures or a snapshot. */
const OTHER_MB = 1

/** The memory that this takes. */
const REST_MB = 8 * OTHER_MB

/** A part of a body that may be large: all of it, or one of its fields. */
export type PartName = 'body' | 'fixtures' | 'snapshot'

interface SeparateBody {
  parts: Map<PartName, unknown>
  rest: unknown
}

/** The parts of a body that may be large, and the rest of it; `whole` for one that may be large itself. */
export function separate(body: unknown, { whole }: { whole: boolean }): SeparateBody {
  if (whole) return { parts: new Map([['body', body]]), rest: undefined }
  const parts: SeparateBody['parts'] = new Map()
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return { parts, rest: body }
  const rest: Record<string, unknown> = { ...body }
  for (const name of ['fixtures', 'snapshot'] as const) {
    const part = rest[name]
    const isMap = typeof part === 'object' && part !== null && !Array.isArray(part)
    if (!isMap && typeof part !== 'string') continue
    parts.set(name, part)
    delete rest[name]
  }
  return { parts, rest }
}

interface BodySize {
  /** The length of its text, in bytes. */
  length: number
  /** The memory of what is not a part that may be large, roughly, in bytes. */
  restBytes: number
  parts: readonly PartName[]
}

/** @throws BodyError for a body that is larger than allowed for what it has. */
export function requireSmallEnough({ length, restBytes, parts }: BodySize): void {
  if (parts.includes('body')) return
  if (parts.includes('fixtures') && length > FIXTURES_LIMIT_MB * MEGABYTE) {
    throw bodyTooLarge(routeLimit(FIXTURES_LIMIT_MB))
  }
  const isLarge = parts.length === 0 || restBytes > REST_MB * MEGABYTE
  if (isLarge && length > OTHER_MB * MEGABYTE) {
    const message = `A body has at most ${OTHER_MB} MB besides fixtures or a snapshot. Send less.`
    throw new BodyError('body_too_large', message)
  }
}

/** Reads a body that may be large where nobody else waits for this thread. @throws BodyError */
export async function readInPlace(
  bytes: Uint8Array[],
  how: { whole: boolean },
  use: (body: unknown) => Promise<ControlResponse>,
): Promise<ControlResponse> {
  const length = bytes.reduce((sum, part) => sum + part.length, 0)
  const body = parseBody(bytes)
  const { parts, rest } = separate(body, how)
  requireSmallEnough({ length, restBytes: bytesOf(rest), parts: [...parts.keys()] })
  return use(body)
}
