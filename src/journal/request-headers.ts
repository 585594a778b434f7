/** The headers of a request as the journal keeps them. */
export interface RequestHeaders {
  /** Names and values in turn, as they were sent; undefined where only those that the API reads are known. */
  readonly sent: readonly string[] | undefined
  /** How many were left out, because they would have taken too much. */
  readonly omitted: number
}

/** How many characters of headers are kept of a request. */
export const MAXIMUM_HEADERS = 4096

/** What a text takes besides its characters. */
const TEXT_BYTES = 24

export const NO_HEADERS: RequestHeaders = { sent: undefined, omitted: 0 }

/** Whether the headers of a request are those of the one before it, which clients mostly send again. */
export function isSameHeaders(
  sent: readonly string[] | undefined,
  before: RequestHeaders['sent'],
): boolean {
  if (sent === undefined || before === undefined) return sent === before
  if (sent.length !== before.length) return false
  // From the end, where headers differ that clients add to some requests.
  for (let at = sent.length - 1; at >= 0; at -= 1) if (sent[at] !== before[at]) return false
  return true
}

/** The headers of a request, without those that go beyond the limit. */
export function keepHeaders(sent: readonly string[] | undefined): RequestHeaders {
  if (sent === undefined) return NO_HEADERS
  if (lengthOf(sent) <= MAXIMUM_HEADERS) return { sent, omitted: 0 }
  const kept: string[] = []
  let length = 0
  for (let at = 0; at < sent.length; at += 2) {
    const [name = '', value = ''] = sent.slice(at, at + 2)
    if (length + name.length + value.length > MAXIMUM_HEADERS) continue
    length += name.length + value.length
    kept.push(name, value)
  }
  return { sent: kept, omitted: (sent.length - kept.length) / 2 }
}

/** What kept headers take of memory, by estimate. */
export function bytesOfHeaders({ sent }: RequestHeaders): number {
  return sent === undefined ? 0 : lengthOf(sent) + sent.length * TEXT_BYTES
}

function lengthOf(texts: readonly string[]): number {
  let length = 0
  for (const text of texts) length += text.length
  return length
}
