import { OWN_SNAPSHOT_LIMIT_MB } from '../../control-api/routes/world-routes.ts'
import { FIXTURES_LIMIT_MB } from '../../control-api/routes/worlds-routes.ts'
import { BodyError } from './parse-body.ts'

/** The refusal of a body by the limit of its route; what may be large comes by file instead. */
export function bodyTooLarge(limitMb: number): BodyError {
  return new BodyError('body_too_large', toSentences(limitMb))
}

function toSentences(limitMb: number): string {
  if (limitMb < FIXTURES_LIMIT_MB) return `A body has at most ${limitMb} MB here. Send less.`
  if (limitMb === FIXTURES_LIMIT_MB) {
    return `A body with fixtures has at most ${limitMb} MB. Start the server with larger ones: --fixtures PATH.`
  }
  const limit = `A body with a snapshot has at most ${limitMb} MB`
  return limitMb === OWN_SNAPSHOT_LIMIT_MB
    ? `${limit} with the key of a world. Ask the person who runs the server to restore a larger one.`
    : `${limit}. Start the server with a larger one: --snapshot FILE, or --state FILE, which also saves changes.`
}
