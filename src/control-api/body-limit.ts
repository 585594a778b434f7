import { MEGABYTE } from '../contract/megabyte.ts'
import { FIXTURES_LIMIT_MB } from './routes/worlds-routes.ts'
import { BodyError } from './parse-body.ts'

/** How large a body may be, unpacked. */
export interface BodyLimit {
  bytes: number
  /** Whether the host of a world sets it. */
  isOfHost?: boolean
}

/** The limit of a route, in megabytes. */
export function routeLimit(megabytes: number): BodyLimit {
  return { bytes: megabytes * MEGABYTE }
}

/** The refusal of a body by the limit of its route or of its host; what may be large comes by file instead. */
export function bodyTooLarge(limit: BodyLimit): BodyError {
  return new BodyError('body_too_large', toSentences(limit))
}

function toSentences({ bytes, isOfHost = false }: BodyLimit): string {
  if (isOfHost) {
    return `A body with fixtures or a snapshot has at most ${bytes} bytes with the key of a world on this host. Send less, or ask the person who runs the server to restore a larger one.`
  }
  const limitMb = bytes / MEGABYTE
  if (limitMb < 1) return `A body has at most ${bytes / 1024} kB here. Send less.`
  if (limitMb < FIXTURES_LIMIT_MB) return `A body has at most ${limitMb} MB here. Send less.`
  if (limitMb === FIXTURES_LIMIT_MB) {
    return `A body with fixtures has at most ${limitMb} MB. Start the server with larger ones: --fixtures PATH.`
  }
  return `A body with a snapshot has at most ${limitMb} MB. Start the server with a larger one: --snapshot FILE, or --state FILE, which also saves changes.`
}
