import type { WriteStream } from 'node:tty'
import colors from 'picocolors'

/** Colours for a stream: none if it is a pipe or NO_COLOR is set, unless FORCE_COLOR is set. */
export function colorsFor(
  stream: Pick<WriteStream, 'isTTY'>,
): ReturnType<typeof colors.createColors> {
  const forced = process.env['FORCE_COLOR']
  if (forced === '0' || forced === 'false') return colors.createColors(false)
  return colors.createColors((stream.isTTY || forced !== undefined) && colors.isColorSupported)
}
