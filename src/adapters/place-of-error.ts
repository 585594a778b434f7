/** A place in a stack: the path or URL of a file, a line, and mostly a column. */
const PLACE = /(?:^|\(|at )((?:file:\/\/|\/|[A-Za-z]:\\)[^\n]*?:\d+(?::\d+)?)\)?$/gm

/** Where in the user's own files an error is from, for messages: `overrides.mjs:3:9`; undefined where its stack names none. */
export function placeOfError(error: unknown): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const places = Array.from(stack.matchAll(PLACE), ([, place = '']) => place)
  const own = places.find((place) => !/[\\/]node_modules[\\/]/.test(place))
  const name = own?.split(/[\\/]/).at(-1)
  return own?.startsWith('file:') && name !== undefined ? decodeURIComponent(name) : name
}
