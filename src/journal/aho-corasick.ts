/** The position of a word in a text. */
export interface Match {
  start: number
  /** Index after the last character. */
  end: number
}

const ROOT = 0

/**
 * Finds all words of a set in one pass over a text, however many they are (Aho and Corasick, 1975). Characters are
 * UTF-16 code units.
 *
 * States are the nodes of a trie. The first child of a state usually has the next number; all other children are
 * branches, at most one per word.
 */
export class AhoCorasick {
  /** By state: the character that leads to the state with the next number; -1 if none does. */
  readonly #nextCodes: Int32Array
  readonly #branches: Branches
  /** By state: the state of its longest proper suffix in the trie. */
  readonly #fallbacks: Uint32Array
  /** By state: the length of the word that ends there; 0 if none does. */
  readonly #lengths: Uint32Array
  /**
   * By state: the first state at which a word ends, on the chain of fallbacks that begins with the state itself; the root if there
   * is none.
   */
  readonly #ends: Uint32Array
  #size = 1

  /** Empty words are ignored. */
  constructor(words: readonly string[]) {
    const most = words.reduce((sum, word) => sum + word.length, 1)
    this.#nextCodes = new Int32Array(most).fill(-1)
    this.#branches = new Branches(words.length)
    this.#fallbacks = new Uint32Array(most)
    this.#lengths = new Uint32Array(most)
    this.#ends = new Uint32Array(most)
    for (const word of words) this.#add(word)
    this.#addFallbacks(words)
  }

  /**
   * Returns the longest accepted word that ends at each position, by ascending end. `accepts` is called with a shorter word only
   * after it has refused all longer words with the same end.
   */
  find(text: string, accepts: (match: Match) => boolean): Match[] {
    const found: Match[] = []
    let state = ROOT
    for (let index = 0; index < text.length; index += 1) {
      state = this.#next(state, text.charCodeAt(index))
      let last = this.#ends[state]!
      while (last !== ROOT) {
        const match = { start: index + 1 - this.#lengths[last]!, end: index + 1 }
        if (accepts(match)) {
          found.push(match)
          break
        }
        last = this.#ends[this.#fallbacks[last]!]!
      }
    }
    return found
  }

  #add(word: string): void {
    let state = ROOT
    for (let index = 0; index < word.length; index += 1) {
      const code = word.charCodeAt(index)
      state = this.#child(state, code) || this.#append(state, code)
    }
    this.#lengths[state] = word.length
  }

  #append(state: number, code: number): number {
    const added = this.#size
    this.#size += 1
    if (added === state + 1) this.#nextCodes[state] = code
    else this.#branches.add(state, code, added)
    return added
  }

  /**
   * Sets the fallback and the end of each state. Visits the states by depth, because both values depend on states nearer to the
   * root.
   */
  #addFallbacks(words: readonly string[]): void {
    let unread = words.map((text) => ({ text, state: ROOT }))
    for (let index = 0; unread.length > 0; index += 1) {
      unread = unread.filter(({ text }) => text.length > index)
      for (const word of unread) {
        const code = word.text.charCodeAt(index)
        const state = this.#child(word.state, code)
        const fallback = word.state === ROOT ? ROOT : this.#next(this.#fallbacks[word.state]!, code)
        this.#fallbacks[state] = fallback
        this.#ends[state] = this.#lengths[state]! > 0 ? state : this.#ends[fallback]!
        word.state = state
      }
    }
  }

  #next(from: number, code: number): number {
    let state = from
    for (;;) {
      const child = this.#child(state, code)
      if (child !== ROOT || state === ROOT) return child
      state = this.#fallbacks[state]!
    }
  }

  /** Returns the child to which a character leads; the root if there is none. */
  #child(state: number, code: number): number {
    if (this.#nextCodes[state] === code) return state + 1
    return this.#branches.get(state, code)
  }
}

/**
 * Branches by state and character: a hash table of numbers, which is several times faster than a Map. Its hash function is random,
 * so that nobody can choose words whose branches share a slot.
 */
class Branches {
  readonly #shift: number
  readonly #mask: number
  readonly #factors = crypto.getRandomValues(new Uint32Array(2))
  readonly #from: Uint32Array
  readonly #codes: Uint16Array
  readonly #to: Uint32Array

  constructor(most: number) {
    const bits = Math.ceil(Math.log2(2 * most + 2))
    const size = 2 ** bits
    this.#shift = 32 - bits
    this.#mask = size - 1
    this.#from = new Uint32Array(size)
    this.#codes = new Uint16Array(size)
    this.#to = new Uint32Array(size)
  }

  add(from: number, code: number, to: number): void {
    const slot = this.#find(from, code)
    this.#from[slot] = from
    this.#codes[slot] = code
    this.#to[slot] = to
  }

  /** Returns the state to which a branch leads; the root if there is no such branch. */
  get(from: number, code: number): number {
    return this.#to[this.#find(from, code)]!
  }

  /** Returns the slot of a branch; the free slot for a new one. */
  #find(from: number, code: number): number {
    const [first = 0, second = 0] = this.#factors
    let slot = (Math.imul(from, first | 1) + Math.imul(code, second | 1)) >>> this.#shift
    while (this.#to[slot] !== ROOT && (this.#from[slot] !== from || this.#codes[slot] !== code)) {
      slot = (slot + 1) & this.#mask
    }
    return slot
  }
}
