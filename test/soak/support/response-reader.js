/** Reads the responses that arrive on a connection, regardless of how their bytes are cut. */
export class ResponseReader {
  #pieces = []
  #length = 0
  #needed = 0

  add(piece) {
    this.#pieces.push(piece)
    this.#length += piece.length
  }

  /** Number of bytes that have arrived of an incomplete response. */
  get rest() {
    return this.#length
  }

  /**
   * The next complete response; undefined while there is none.
   *
   * @param isHead True for the response to a HEAD request, which has no body.
   * @throws for bytes that are not a response.
   */
  next(isHead) {
    if (this.#length === 0 || this.#length < this.#needed) return undefined
    const bytes = this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces)
    this.#pieces = [bytes]
    const headEnd = bytes.indexOf('\r\n\r\n')
    if (headEnd === -1) return undefined
    const [statusLine, ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1])
    if (Number.isNaN(status)) throw new Error(`This is no status line: ${statusLine.slice(0, 200)}`)
    const headers = new Map(lines.map(toHeader))
    const start = headEnd + 4
    const isChunked = headers.get('transfer-encoding') === 'chunked' && !isHead
    const { body, end } = isChunked
      ? readChunked(bytes, start)
      : readWhole(
          bytes,
          start,
          isHead || status === 204 ? 0 : Number(headers.get('content-length') ?? 0),
        )
    this.#needed = end
    if (this.#length < end) return undefined
    this.#pieces = bytes.length > end ? [bytes.subarray(end)] : []
    this.#length -= end
    this.#needed = 0
    return { status, headers, body }
  }
}

function readWhole(bytes, start, length) {
  const end = start + length
  return { body: bytes.subarray(start, end), end }
}

/** A body in chunks, and its end: beyond the bytes if some are missing. */
function readChunked(bytes, start) {
  const chunks = []
  let at = start
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd === -1) return { end: bytes.length + 1 }
    const line = bytes.toString('latin1', at, lineEnd)
    if (!/^[\da-f]+$/i.test(line)) throw new Error(`This is no chunk: ${line.slice(0, 200)}`)
    const length = Number.parseInt(line, 16)
    const end = lineEnd + 2 + length + 2
    if (bytes.length < end) return { end }
    chunks.push(bytes.subarray(lineEnd + 2, end - 2))
    at = end
    if (length === 0) return { body: Buffer.concat(chunks), end }
  }
}

function toHeader(line) {
  const colon = line.indexOf(': ')
  if (colon === -1) throw new Error(`This is no header: ${line.slice(0, 200)}`)
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)]
}
