import type { ServerResponse } from 'node:http'
import { inspect } from 'node:util'
import { withoutControlsInLines } from '../contract/text.ts'
import { JSON_TYPE } from '../engine/responses.ts'

/** Calls the next handler of an application, or its error handlers if `error` is passed. */
export type Next = (error?: unknown) => void

const INTERNAL_ERROR =
  'Internal error, which the server has printed. Please report it as a bug of seo-sandbox.'

const MAXIMUM_PRINTED_BYTES = 4000

/** Formats an error and its stack. Removes control characters except line breaks, and cuts off the text after about 4 kB. */
export function describeError(error: unknown): string {
  const text = withoutControlsInLines(inspect(error))
  const bytes = Buffer.from(text)
  if (bytes.length <= MAXIMUM_PRINTED_BYTES) return text
  // With `stream`, the decoder drops a character that is cut in half.
  return `${new TextDecoder().decode(bytes.subarray(0, MAXIMUM_PRINTED_BYTES), { stream: true })}…`
}

export function printUnexpected(error: unknown): void {
  process.stderr.write(`${describeError(error)}\n`)
}

/**
 * Message if a module of the package is missing. Modules are loaded on first use, and an upgrade may have removed them by then.
 */
export const REPLACED = 'seo-sandbox was replaced while it ran: restart it.'

/** True if a module is missing, as after an upgrade of the package. */
export function isReplaced(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
}

/**
 * Passes an unexpected error to `next`. Without `next`, prints the error and responds with a 500 that contains no details, or
 * closes the connection if a response has begun. Middleware that replaces `writeHead` is one source of such errors.
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

/** Matches a location in a stack: the path or URL of a file, its line, and usually a column. */
const STACK_LOCATION = /(?:^|\(|at )((?:file:\/\/|\/|[A-Za-z]:\\)[^\n]*?:\d+(?::\d+)?)\)?$/gm

/**
 * Returns the first location outside `node_modules` in the stack of an error, like `overrides.mjs:3:9`; undefined if there is
 * none.
 */
export function userLocationOf(error: unknown): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const locations = Array.from(stack.matchAll(STACK_LOCATION), ([, location = '']) => location)
  const found = locations.find((location) => !/[\\/]node_modules[\\/]/.test(location))
  const name = found?.split(/[\\/]/).at(-1)
  return found?.startsWith('file:') && name !== undefined ? decodeURIComponent(name) : name
}
