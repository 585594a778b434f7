import { parentPort, resourceLimits, Worker, workerData } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import { bytesOf } from '../../contract/plain-size.ts'
import type { Fixtures } from '../../fixtures/read-sources.ts'
import { readSeed } from '../../sandbox/seeds.ts'
import { readSnapshot } from '../../world/read-snapshot.ts'
import { toFailure } from './failure.ts'
import type { Failure } from './failure.ts'
import { separate } from '../../control-api/body-parts.ts'
import type { PartName } from '../../control-api/body-parts.ts'
import { parsedBytesOf, requireMemory } from './memory.ts'
import { parseBody } from '../../control-api/parse-body.ts'
import { toPieces } from './pieces.ts'
import type { Piece } from './pieces.ts'

/** The worker of a `BodyReader`: it reads large bodies, so that the thread that answers requests need not. */

/** What the worker is asked to do; `body` is the number of the body in question. */
export type BodyCall = { body: number } & (
  | { ask: 'parse'; bytes: Uint8Array<ArrayBuffer>[]; whole: boolean }
  | { ask: 'seed'; part: PartName; stated: Parameters<typeof readSeed>[1] }
  | { ask: 'snapshot'; part: PartName }
  | { ask: 'piece' }
  | { ask: 'forget' }
)

/** The replies, in the order of the calls. */
export type BodyReply = { result: unknown } | { failure: Failure }

export interface ParsedBody {
  /** The body without the parts that the worker keeps. */
  rest: unknown
  /** The memory that the rest takes, roughly, in bytes. */
  restBytes: number
  parts: { name: PartName; fileNames: string[] | undefined }[]
}

/** What was read, and is ready to be fetched. */
export interface Announced {
  /** The memory that it takes, roughly, in bytes. */
  bytes: number
  /** The part of a heap's limit that is only for new objects, which Node only tells workers. */
  youngBytes: number
}

/** What the worker holds of a body. */
interface HeldBody {
  parts: Map<PartName, unknown>
  /** The pieces of what was read that are still to be fetched. */
  pieces: Iterator<Piece, unknown>
}

const YOUNG_BYTES = (resourceLimits.maxYoungGenerationSizeMb ?? 0) * 2 ** 20

const BODIES = new Map<number, HeldBody>()
const NO_PIECES: readonly Piece[] = []

/** Tells this worker apart from one of the user, in which the server may load this module. */
const ROLE = 'seo-sandbox: bodies'

/** Started from `build`, because Node cannot run this module as it is written in `src`. */
const BUILT = import.meta.url.replace(/\/src\/(.*)\.ts$/, '/build/$1.js')

export function startWorker(): Worker {
  return new Worker(new URL(BUILT), { workerData: ROLE })
}

if (workerData === ROLE) receive(parentPort as MessagePort)

function receive(port: MessagePort): void {
  let last: Promise<unknown> = Promise.resolve()
  port.on('message', (call: BodyCall) => {
    last = last.then(async () => port.postMessage(await reply(call), []))
  })
}

async function reply(call: BodyCall): Promise<BodyReply> {
  try {
    return { result: await answer(call) }
  } catch (error) {
    return { failure: toFailure(error) }
  }
}

async function answer(call: BodyCall): Promise<unknown> {
  if (call.ask === 'parse') return parse(call)
  const held = BODIES.get(call.body)
  if (!held) throw new RangeError(`There is no body ${call.body}.`)
  switch (call.ask) {
    case 'seed':
      return announce(held, await readSeed(take(held, call.part) as Fixtures, call.stated))
    case 'snapshot':
      return announce(held, readSnapshot(take(held, call.part)))
    case 'piece': {
      const { done, value } = held.pieces.next()
      return done === true ? undefined : value
    }
    case 'forget':
      return BODIES.delete(call.body)
  }
}

function parse({ body, bytes, whole }: Extract<BodyCall, { ask: 'parse' }>): ParsedBody {
  const parsed = parseBody(bytes, (text) => requireMemory(parsedBytesOf(text), YOUNG_BYTES))
  const { parts, rest } = separate(parsed, { whole })
  BODIES.set(body, { parts, pieces: NO_PIECES.values() })
  return {
    rest,
    restBytes: bytesOf(rest),
    parts: [...parts].map(([name, part]) => ({ name, fileNames: fileNamesOf(part) })),
  }
}

/** The names of files, where they are given. */
function fileNamesOf(part: unknown): string[] | undefined {
  const { files } = Object(part) as { files?: unknown }
  if (!Array.isArray(files)) return undefined
  return files.map((file) => String((Object(file) as { name?: unknown }).name))
}

/** A part, which is read only once. */
function take({ parts }: HeldBody, name: PartName): unknown {
  const part = parts.get(name)
  parts.delete(name)
  return part
}

/** Gets what was read ready to be fetched. */
function announce(held: HeldBody, read: unknown): Announced {
  held.pieces = toPieces(read)
  return { bytes: bytesOf(read), youngBytes: YOUNG_BYTES }
}
