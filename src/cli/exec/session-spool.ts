import {
  closeSync,
  createWriteStream,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { StringDecoder } from 'node:string_decoder'
import { toSessionReview } from '../../review/record-review.ts'
import {
  createSessionWriter,
  hasMagicTokens,
  recordedSessionOf,
} from '../../session/session-recorder.ts'
import { toEndStep, toRecordedCommand, toStep } from '../../session/session-steps.ts'
import type { CommandStep, SessionHeader, SessionLine, SessionRun } from '../../session/session.ts'
import { toFileReason } from '../../server/file-errors.ts'
import type { World } from '../../world/world.ts'
import type { WorldSubscriber } from '../../world/world-subscriber.ts'
import { toLines } from '../to-lines.ts'

const LARGEST_SESSION_BYTES = 100_000_000

/** File mode. A session contains the client's requests and the records of its world. */
const OWNER_ONLY = 0o600

const CHUNK_BYTES = 65_536

interface SpoolOptions {
  /** Called with a reason, as a sentence, if the rest of the session is not recorded. */
  onCut: (reason: string) => void
  largestBytes?: number | undefined
}

/**
 * The session of a world, recorded in a private file so that memory does not limit the number of steps. The file
 * contains bearer values, because not all of them are known until the end; `toLines` and `save` hide them.
 */
export class SessionSpool implements WorldSubscriber {
  readonly #world: World
  readonly #largestBytes: number
  readonly #onCut: SpoolOptions['onCut']
  readonly #folder: string
  readonly #file: number
  #unsubscribe: () => void = () => {}
  #startedMs = 0
  #hasMagicTokens = false
  #written = { bytes: 0, lines: 0 }
  #unwritten: string[] = []
  #unwrittenBytes = 0
  #isCut = false

  /**
   * @param beginning the first step; if omitted, the session begins with the steps that the world has recorded so far
   * @throws an error of the file system if the file cannot be created.
   */
  constructor(
    world: World,
    { largestBytes = LARGEST_SESSION_BYTES, onCut }: SpoolOptions,
    beginning?: CommandStep,
  ) {
    this.#world = world
    this.#largestBytes = largestBytes
    this.#onCut = onCut
    this.#folder = mkdtempSync(join(tmpdir(), 'seo-sandbox-'))
    // Not opened for appending, because Windows cannot truncate such a file.
    this.#file = openSync(join(this.#folder, 'session.jsonl'), 'wx+', OWNER_ONLY)
    // Removed now, so that nothing is left even if this process is killed. Windows cannot remove a folder with an open file.
    if (process.platform !== 'win32') this.#remove()
    if (beginning) {
      this.#start(beginning.at_ms)
      this.#add(beginning)
    } else {
      const soFar = recordedSessionOf(world)
      this.#start(soFar?.startedMs ?? world.createdMs)
      for (const step of soFar?.steps ?? []) this.#add(toStep(step, world.options))
    }
    this.#unsubscribe = world.subscribe(this)
  }

  /** Begins a session whose first step restores a snapshot of the current world. */
  static async beginNow(world: World, options: SpoolOptions): Promise<SessionSpool> {
    const snapshot = await world.snapshot()
    return new SessionSpool(world, options, {
      sequence: snapshot.sequence,
      at_ms: Date.parse(snapshot.taken_at),
      command: { type: 'snapshot.restore', snapshot },
    })
  }

  /** True while recording: the journal digests only the bodies of requests that a subscriber keeps. */
  get keepsRequests(): boolean {
    return !this.#isCut
  }

  onRequest: NonNullable<WorldSubscriber['onRequest']> = (recorded) => {
    this.#add(toStep(recorded, this.#world.options))
  }

  onResponseEnd: NonNullable<WorldSubscriber['onResponseEnd']> = (recorded) => {
    this.#add(toEndStep(recorded))
  }

  onCommand: NonNullable<WorldSubscriber['onCommand']> = (event) => {
    const { options } = this.#world
    if (event.definition.startsSession === true) this.#start(event.atMs)
    const command = toRecordedCommand(event, options)
    this.#hasMagicTokens ||= hasMagicTokens(command.seed)
    this.#add(toStep(command, options))
  }

  /** True if the rest of the session was not recorded. */
  get isCut(): boolean {
    return this.#isCut
  }

  stop(): void {
    this.#unsubscribe()
    this.#unsubscribe = () => {}
  }

  /** Yields the recorded session as lines without bearer values. Call `stop` first. */
  async *toLines(run: SessionRun): AsyncGenerator<string> {
    this.#write()
    const { lines } = this.#written
    const writer = await createSessionWriter(this.#world, {
      hasMagicTokens: this.#hasMagicTokens,
    })
    const { options } = this.#world
    const recorded = { options, startedMs: this.#startedMs }
    const header: SessionHeader = {
      ...writer.head(recorded, toSessionReview(this.#world)),
      run,
      lines,
      ...(this.#isCut && { cut: true }),
    }
    yield `${JSON.stringify(header)}\n`
    for await (const line of toLines(this.#read())) {
      yield `${JSON.stringify(writer.redact(JSON.parse(line) as SessionLine))}\n`
    }
  }

  /** Saves the session to a file, replacing an existing one. */
  async save(path: string, run: SessionRun): Promise<void> {
    await rm(path, { force: true })
    const file = createWriteStream(path, { flags: 'wx', mode: OWNER_ONLY })
    await pipeline(Readable.from(this.toLines(run)), file)
  }

  /**
   * Yields the text of the file in pieces. A read stream is no alternative, because it closes the file when it is
   * abandoned.
   */
  async *#read(): AsyncGenerator<string> {
    const decoder = new StringDecoder('utf8')
    const chunk = Buffer.alloc(CHUNK_BYTES)
    for (let at = 0, bytes = 0; (bytes = readSync(this.#file, chunk, 0, CHUNK_BYTES, at)) > 0;) {
      at += bytes
      yield decoder.write(chunk.subarray(0, bytes))
    }
  }

  close(): void {
    this.stop()
    closeSync(this.#file)
    this.#remove()
  }

  #remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #start(startedMs: number): void {
    this.#unwritten = []
    this.#unwrittenBytes = 0
    this.#written = { bytes: 0, lines: 0 }
    ftruncateSync(this.#file)
    this.#startedMs = startedMs
    this.#hasMagicTokens = hasMagicTokens(this.#world.options.seed)
    this.#isCut = false
  }

  #add(step: SessionLine): void {
    if (this.#isCut) return
    const line = `${JSON.stringify(step)}\n`
    const bytes = Buffer.byteLength(line)
    if (this.#written.bytes + this.#unwrittenBytes + bytes > this.#largestBytes) {
      this.#cut(`It has grown to ${this.#largestBytes / 1_000_000} MB.`)
      return
    }
    this.#unwritten.push(line)
    this.#unwrittenBytes += bytes
    if (this.#unwrittenBytes >= CHUNK_BYTES) this.#write()
  }

  #write(): void {
    try {
      const bytes = Buffer.from(this.#unwritten.join(''))
      for (let at = 0; at < bytes.length;)
        at += writeSync(this.#file, bytes, at, bytes.length - at, this.#written.bytes + at)
      this.#written.bytes += this.#unwrittenBytes
      this.#written.lines += this.#unwritten.length
    } catch (error) {
      // Part of the chunk may have been written.
      ftruncateSync(this.#file, this.#written.bytes)
      this.#cut(toFileReason(error))
    }
    this.#unwritten = []
    this.#unwrittenBytes = 0
  }

  #cut(reason: string): void {
    this.#isCut = true
    this.#onCut(reason)
  }
}
