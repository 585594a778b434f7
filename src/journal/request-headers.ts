/** The headers of a request as the journal keeps them. */
export interface RequestHeaders {
  /** Names and values in turn, as they were sent; undefined where only those that the API reads are known. */
  readonly raw: readonly string[] | undefined
  /** How many were left out, because they would have taken too much. */
  readonly omitted: number
}

/** How many characters of headers are kept of a request. */
export const MAXIMUM_HEADERS = 4096

export const NO_HEADERS: RequestHeaders = { raw: undefined, omitted: 0 }

/** Whether a request has the same headers as the one before it, as it mostly has from the same client. */
export function isSameHeaders(
  raw: readonly string[] | undefined,
  before: RequestHeaders['raw'],
): boolean {
  if (raw === undefined || before === undefined) return raw === before
  if (raw.length !== before.length) return false
  // From the end, which has the headers that clients add to some requests only.
  for (let at = raw.length - 1; at >= 0; at -= 1) if (raw[at] !== before[at]) return false
  return true
}

/** The headers of a request, without those that go beyond the limit. */
export function keepHeaders(raw: readonly string[] | undefined): RequestHeaders {
  if (raw === undefined) return NO_HEADERS
  if (lengthOf(raw) <= MAXIMUM_HEADERS) return { raw, omitted: 0 }
  const kept: string[] = []
  let length = 0
  for (let at = 0; at < raw.length; at += 2) {
    const [name = '', value = ''] = raw.slice(at, at + 2)
    if (length + name.length + value.length > MAXIMUM_HEADERS) continue
    length += name.length + value.length
    kept.push(name, value)
  }
  return { raw: kept, omitted: (raw.length - kept.length) / 2 }
}

function lengthOf(texts: readonly string[]): number {
  let length = 0
  for (const text of texts) length += text.length
  return length
}
