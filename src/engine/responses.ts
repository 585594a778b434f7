import { memoize } from '../contract/cache.ts'
import type { ReadPolicy } from '../contract/policies.ts'
import { PROBLEMS } from '../contract/problems.ts'
import type { ProblemCode } from '../contract/problems.ts'
import type { Bytes, Refusal, Shown } from './messages.ts'

export interface Content {
  type: string
  bytes: Bytes
  /** Section of the rule that decided the selection of a report; undefined for operations without a selection. */
  rule?: string | undefined
  /** Reports and page link in the body of a 200; undefined for any other body. */
  shown?: Shown | undefined
}

export const JSON_TYPE = 'application/json'

const encoder = new TextEncoder()

export function jsonContent(body: object): Content {
  return { type: JSON_TYPE, bytes: encoder.encode(JSON.stringify(body)) }
}

/** Returns an HTML error page. The title is not escaped. */
export function htmlContent(title: string): Content {
  const page = `<!DOCTYPE html>\n<html lang="en"><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`
  return { type: 'text/html; charset=utf-8', bytes: encoder.encode(page) }
}

const NO_CONTENT: Content = { type: JSON_TYPE, bytes: new Uint8Array() }

/** Returns the body of a problem (specification 7; G-004, G-005, G-006, G-053). */
export function problemContent(
  { problem, allowedParameters }: Refusal,
  acceptsJson: () => boolean,
  policy: ReadPolicy,
): Content {
  const { status, message } = PROBLEMS[problem]
  if (status === 429) return PLAIN_CONTENTS.envelope(problem)
  if (!acceptsJson() && policy('errors-without-json-accept') === 'html') return htmlContent(message)
  if (allowedParameters) return parametersContent(message, problem, allowedParameters, policy)

  const form = status === 401 ? policy('unauthenticated-body') : policy('error-body')
  if (form === 'empty') return NO_CONTENT
  if (form === 'html') return htmlContent(message)
  return PLAIN_CONTENTS[form](problem)
}

const PLAIN_CONTENTS = {
  envelope: memoize((code: ProblemCode) =>
    jsonContent({ error: { code, message: PROBLEMS[code].message } }),
  ),
  message: memoize((code: ProblemCode) => jsonContent({ message: PROBLEMS[code].message })),
}

/** Specification 4.3(1): the 400 that lists the allowed parameter names. */
function parametersContent(
  text: string,
  code: string,
  names: readonly string[],
  policy: ReadPolicy,
): Content {
  const allowed = names.length > 0 ? `Allowed: ${names.join(', ')}.` : 'None is allowed here.'
  const message = `${text} ${allowed}`
  const details = { message, allowed_parameters: names }
  return jsonContent(
    policy('unknown-parameter-body') === 'envelope' ? { error: { code, ...details } } : details,
  )
}

/** True if an `Accept` header names a JSON type. A wildcard is not enough. */
export function isJsonAccepted(accept: string | undefined): boolean {
  return accept !== undefined && /[/+]json\b/i.test(accept)
}
