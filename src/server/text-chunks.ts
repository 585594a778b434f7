/** How many characters are encoded at a time. */
const CHUNK_LENGTH = 2 ** 16

/** A long text as UTF-8, outside the heap, collected from many small pieces. */
export class TextChunks {
  #pieces: string[] = []
  #length = 0
  #chunks: Uint8Array[] = []
  #bytes = 0

  /** How many bytes are complete. */
  get bytes(): number {
    return this.#bytes
  }

  add(piece: string): void {
    this.#pieces.push(piece)
    this.#length += piece.length
    if (this.#length >= CHUNK_LENGTH) this.#encode()
  }

  /** What is complete, and from then on no longer here. */
  takeComplete(): Uint8Array[] {
    const taken = this.#chunks
    this.#chunks = []
    this.#bytes = 0
    return taken
  }

  /** All that is still here. */
  takeAll(): Uint8Array[] {
    this.#encode()
    return this.takeComplete()
  }

  #encode(): void {
    const chunk = Buffer.from(this.#pieces.join(''))
    this.#pieces = []
    this.#length = 0
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
  }
}
