import type { Pause } from '../../contract/steps.ts'
import type { Seed } from '../../fixtures/seed.ts'
import { requireSmallEnough } from '../../control-api/body-parts.ts'
import type { PartName } from '../../control-api/body-parts.ts'
import { LargeInput } from '../../world/large-input.ts'
import type { Snapshot } from '../../world/snapshot.ts'
import { BodyThread } from './body-thread.ts'
import type { Announced, BodyCall, ParsedBody } from './body-worker.ts'
import { requireMemory } from './memory.ts'
import { parseBody } from '../../control-api/parse-body.ts'
import { Assembly } from './pieces.ts'
import type { Piece } from './pieces.ts'

/** Reading a body of this size takes less time than handing it to a worker. */
const SMALL_BYTES = 2 ** 14

/**
 * The records and look-ups that a part is turned into take one to three times its memory, and more until garbage is
 * collected.
 */
const MEMORY_FACTOR = 3.5

/** What is charged to the sender of a body. */
interface Sender {
  /** Called after each piece that the worker has sent. */
  pause: Pause
  /** Called with the milliseconds that the worker has taken. */
  spend: (ms: number) => void
}

interface ReceivedBody extends Sender {
  bytes: Uint8Array<ArrayBuffer>[]
  /** Whether the body itself may be large, rather than parts of it. */
  whole: boolean
}

/** Reads bodies that may be large in a worker, so that no client waits for the body of another. */
export class BodyReader {
  #thread: BodyThread | undefined
  #last = 0

  /**
   * Reads a body, which releases its parts. It can be used while `use` runs. In a large one `fixtures` and `snapshot`, or the
   * body itself where `whole`, is a `LargeInput`.
   *
   * @throws BodyError, and what `use` throws.
   */
  async read<Result>(
    { bytes, whole, ...sender }: ReceivedBody,
    use: (body: unknown) => Promise<Result>,
  ): Promise<Result> {
    const length = bytes.reduce((sum, part) => sum + part.length, 0)
    if (length <= SMALL_BYTES) return use(parseBody(bytes))
    if (this.#thread?.isAlive !== true) this.#thread = new BodyThread()
    const thread = this.#thread
    this.#last += 1
    const body = this.#last
    try {
      const call = { ask: 'parse', body, bytes, whole } as const
      const parsed = (await thread.ask(call, sender.spend)) as ParsedBody
      const names = parsed.parts.map(({ name }) => name)
      requireSmallEnough({ length, restBytes: parsed.restBytes, parts: names })
      return await use(toBody(parsed, { thread, body, ...sender }))
    } finally {
      thread.forget(body)
    }
  }
}

function toBody(
  { rest, parts }: ParsedBody,
  held: Omit<HeldOptions, 'part' | 'fileNames'>,
): unknown {
  const inputs = parts.map(({ name, fileNames }) => {
    return [name, new HeldInput({ ...held, part: name, fileNames })] as const
  })
  if (inputs.length === 0) return rest
  const { body: whole, ...fields } = Object.fromEntries(inputs)
  return whole ?? { ...(rest as object), ...fields }
}

interface HeldOptions extends Sender {
  thread: BodyThread
  body: number
  part: PartName
  fileNames: readonly string[] | undefined
}

/** A part of a body that a worker holds. */
class HeldInput extends LargeInput {
  readonly fileNames: readonly string[] | undefined
  readonly #options: HeldOptions

  constructor(options: HeldOptions) {
    super()
    this.fileNames = options.fileNames
    this.#options = options
  }

  async readSeed(stated: Parameters<LargeInput['readSeed']>[0]): Promise<Seed> {
    const { body, part } = this.#options
    return (await this.#receive({ ask: 'seed', body, part, stated })) as Seed
  }

  async readSnapshot(): Promise<Snapshot> {
    const { body, part } = this.#options
    return (await this.#receive({ ask: 'snapshot', body, part })) as Snapshot
  }

  /** Receives what the worker has read, piece by piece. */
  async #receive(call: BodyCall): Promise<unknown> {
    const { thread, body, pause, spend } = this.#options
    const { bytes, youngBytes } = (await thread.ask(call, spend)) as Announced
    requireMemory(bytes * MEMORY_FACTOR, youngBytes)
    const assembly = new Assembly()
    for (;;) {
      const piece = (await thread.ask({ ask: 'piece', body }, spend)) as Piece | undefined
      if (!piece) return assembly.value
      assembly.add(piece)
      await pause()
    }
  }
}
