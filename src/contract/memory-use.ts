/** How many bytes of memory something takes, by estimate. It counts towards what contains it too. */
export class MemoryUse {
  #bytes = 0
  #whole: MemoryUse | undefined

  get bytes(): number {
    return this.#bytes
  }

  /** Counts bytes that are taken, or freed where they are negative. */
  add(bytes: number): void {
    this.#bytes += bytes
    this.#whole?.add(bytes)
  }

  /** Makes it part of another use in place of the one before; of no other if undefined. */
  moveTo(whole: MemoryUse | undefined): void {
    this.#whole?.add(-this.#bytes)
    this.#whole = whole
    whole?.add(this.#bytes)
  }
}
