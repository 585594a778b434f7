import { withoutControls } from '../contract/text.ts'

/** A link or a session file cannot be opened. Nothing of it has run, or only the steps before the one that the message names. */
export class ShareError extends Error {
  override readonly name = 'ShareError'
  readonly code = 'invalid_share'
}

const SHOWN_LENGTH = 80

/** The error for something that no release has written like this, at a place or anywhere. */
export function changed(noun: string, place: string): ShareError {
  const shown = withoutControls(place.slice(0, SHOWN_LENGTH))
  const where = shown === '' ? '' : `, at ${shown}`
  return new ShareError(
    `This ${noun} was changed, or made by another release${where}: ask for it again, and copy all of it.`,
  )
}
