import { findTooDeep, TOO_DEEP } from '../contract/nesting.ts'

/** The response status for each reason why a body cannot be read. */
export const BODY_STATUSES = {
  invalid_json: 400,
  body_too_deep: 400,
  invalid_body: 400,
  body_too_slow: 408,
  body_too_large: 413,
  invalid_request: 415,
  body_not_read: 503,
  insufficient_memory: 507,
} as const

export class BodyError extends Error {
  override readonly name = 'BodyError'
  readonly code: keyof typeof BODY_STATUSES

  constructor(code: BodyError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** @throws BodyError for a body that is not UTF-8 by its type, as JSON is. */
export function requireUtf8(contentType = ''): void {
  const [, charset] = /;\s*charset="?([^";\s]+)/i.exec(contentType) ?? []
  if (charset === undefined || /^(?:utf-?8|us-ascii)$/i.test(charset)) return
  throw new BodyError('invalid_request', `The charset ${charset} is not supported. Send UTF-8.`)
}

/**
 * The JSON of a body, whose parts are released one by one; an empty map where it is empty.
 *
 * @param check throws for a text that is not to be parsed.
 * @throws BodyError
 */
export function parseBody(parts: Uint8Array[], check?: (text: string) => void): unknown {
  const decoder = new TextDecoder()
  let text = ''
  for (const part of parts.splice(0)) text += decoder.decode(part, { stream: true })
  text += decoder.decode()
  check?.(text)
  const deep = findTooDeep(text)
  if (deep) {
    const place = `Line ${deep.line}, column ${deep.column}`
    throw new BodyError('body_too_deep', `${place} of the body: ${TOO_DEEP}`)
  }
  try {
    return text === '' ? {} : (JSON.parse(text) as unknown)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const message = `The body is not JSON: ${error.message}. Send a JSON object.`
    throw new BodyError('invalid_json', message)
  }
}
