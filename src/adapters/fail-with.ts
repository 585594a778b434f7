import type { ServerResponse } from 'node:http'
import { inspect } from 'node:util'
import { withoutControlsInLines } from '../contract/text.ts'
import { JSON_TYPE } from '../engine/responses.ts'

/** Passes a request on to the next handler of an application, or an error to its error handlers. */
export type Next = (error?: unknown) => void

const INTERNAL_ERROR =
  'Internal error, which the server has printed. Please report it as a bug of seo-sandbox.'

/** Maximum size of a printed error, in bytes: enough for a stack trace, whereas a message may have any length. */
const MOST_BYTES = 4000

/** Formats an unexpected error with its stack, in about 4 kB at most, without control characters. */
export function describeError(error: unknown): string {
  const text = withoutControlsInLines(inspect(error))
  const bytes = Buffer.from(text)
  if (bytes.length <= MOST_BYTES) return text
  // With `stream`, the decoder drops a character that is cut in half.
  return `${new TextDecoder().decode(bytes.subarray(0, MOST_BYTES), { stream: true })}…`
}

export function printUnexpected(error: unknown): void {
  process.stderr.write(`${describeError(error)}\n`)
}

/** Message if a module of the package, which is loaded on first use, no longer exists. */
export const REPLACED = 'seo-sandbox was replaced while it ran: restart it.'

/** True if a module could not be found, as after the package was replaced. */
export function isReplaced(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
}

/**
 * Passes an unexpected error to the application, such as an error of a `writeHead` that other middleware has replaced. Without
 * an application, prints the error, and responds without details, unless the package was replaced. A response that has begun is
 * cut off.
 */
export function failWith(error: unknown, response: ServerResponse, next?: Next): void {
  if (next) {
    next(error)
    return
  }
  printUnexpected(error)
  if (response.headersSent) {
    response.destroy()
    return
  }
  const body = JSON.stringify({ message: isReplaced(error) ? REPLACED : INTERNAL_ERROR })
  response.writeHead(500, { 'Content-Type': JSON_TYPE, 'Content-Length': body.length })
  response.end(body)
}

/** A place in a stack: the path or URL of a file, a line, and usually a column. */
const PLACE = /(?:^|\(|at )((?:file:\/\/|\/|[A-Za-z]:\\)[^\n]*?:\d+(?::\d+)?)\)?$/gm

/**
 * Returns the place of an error in the user's own files, for messages: `overrides.mjs:3:9`; undefined if its stack has none.
 */
export function placeOfError(error: unknown): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const places = Array.from(stack.matchAll(PLACE), ([, place = '']) => place)
  const own = places.find((place) => !/[\\/]node_modules[\\/]/.test(place))
  const name = own?.split(/[\\/]/).at(-1)
  return own?.startsWith('file:') && name !== undefined ? decodeURIComponent(name) : name
}
