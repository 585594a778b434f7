import { closeSync, openSync, writeSync } from 'node:fs'
import { withoutControls } from '../../contract/describe.ts'

/** A run that prints more has the rest left out. */
const LARGEST_BYTES = 1_000_000
/** The output of a client may contain secrets. */
const OWNER_ONLY = 0o600
/** How many bytes of its end are kept. */
const TAIL_BYTES = 8192

interface OutputOptions {
  /** Called where the rest cannot be written. */
  onError: (error: unknown) => void
}

/** What a run prints, in a file. */
export class RunOutput {
  readonly path: string
  readonly #onError: OutputOptions['onError']
  #file: number | undefined
  #bytes = 0
  #tail = Buffer.alloc(0)
  #hasFailed = false
  readonly #notes: string[] = []

  constructor(path: string, { onError }: OutputOptions) {
    this.path = path
    this.#onError = onError
  }

  readonly take = (chunk: Buffer): void => {
    this.#write(chunk.subarray(0, Math.max(0, LARGEST_BYTES - this.#bytes)))
    this.#bytes += chunk.length
    this.#tail = Buffer.concat([this.#tail, chunk]).subarray(-TAIL_BYTES)
  }

  /** Adds a sentence of this program, which is not among the last lines. */
  note(sentence: string): void {
    this.#notes.push(sentence)
  }

  /** Closes the file. */
  end(): void {
    const left = this.#bytes - LARGEST_BYTES
    if (left > 0) {
      const shown = this.#tail.subarray(-left)
      this.#write(Buffer.from(`\n[${left - shown.length} bytes left out]\n`))
      this.#write(shown)
    }
    for (const sentence of this.#notes) this.#write(Buffer.from(`seo-sandbox: ${sentence}\n`))
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  /** The last lines that it has printed, without empty ones. */
  lastLines(count: number): string[] {
    const lines = this.#tail.toString('utf8').split(/\r?\n|\r/)
    return lines
      .map((line) => withoutControls(line.trimEnd()))
      .filter((line) => line !== '')
      .slice(-count)
  }

  #write(bytes: Buffer): void {
    if (this.#hasFailed || bytes.length === 0) return
    try {
      this.#file ??= openSync(this.path, 'w', OWNER_ONLY)
      writeSync(this.#file, bytes)
    } catch (error) {
      this.#hasFailed = true
      this.#onError(error)
    }
  }
}
