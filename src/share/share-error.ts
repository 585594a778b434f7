import { withoutControls } from '../contract/text.ts'

/**
 * Thrown if a link, a session file or a session to share is refused, or if a replay cannot continue. The replay may have run some
 * of the steps.
 */
export class ShareError extends Error {
  override readonly name = 'ShareError'
  readonly code = 'invalid_share'
}

const SHOWN_LENGTH = 80

/**
 * Returns the error for content that this release cannot have written. `place` is the location in the content; empty if unknown.
 */
export function changed(noun: string, place: string): ShareError {
  const shown = withoutControls(place.slice(0, SHOWN_LENGTH))
  const where = shown === '' ? '' : `, at ${shown}`
  return new ShareError(
    `This ${noun} was changed, or made by another release${where}: ask for it again, and copy all of it.`,
  )
}
