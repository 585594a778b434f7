import type { ServerResponse } from 'node:http'
import { writePieces } from '../contract/json-pieces.ts'
import type { Pause } from '../contract/steps.ts'
import { errorResponse } from '../control-api/control-error.ts'
import { SNAPSHOT_LIMIT_MB } from '../control-api/routes/world-routes.ts'
import type { ControlResponse } from '../control-api/routes/route.ts'
import { sendEvents } from './event-stream.ts'
import { TextChunks } from './text-chunks.ts'

const SNAPSHOT_TOO_LARGE = errorResponse(
  422,
  'snapshot_too_large',
  `This world takes more than ${SNAPSHOT_LIMIT_MB} MB as a snapshot, and could not be restored from one. Keep it with --state.`,
)

/**
 * Sends an answer: as fast as the client reads it, and with pauses for other clients. Nothing more is computed of it
 * once the client has gone.
 */
export async function sendControlResponse(
  response: ServerResponse,
  { status, body, text, write, stream }: ControlResponse,
  pause?: Pause,
): Promise<void> {
  response.statusCode = status
  if (stream) {
    sendEvents(response, stream)
  } else if (text) {
    response.setHeader('Content-Type', text.type)
    response.end(text.content)
  } else if (write) {
    const chunks = new TextChunks()
    await write((piece) => chunks.add(piece))
    await sendText(response, chunks, pause)
  } else if (body === undefined) {
    response.end()
  } else {
    await sendJson(response, body, pause)
  }
}

/** A text that is complete, unless it is too long. */
async function sendText(response: ServerResponse, text: TextChunks, pause?: Pause): Promise<void> {
  const chunks = text.takeAll()
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  if (length > SNAPSHOT_LIMIT_MB * 2 ** 20) {
    await sendControlResponse(response, SNAPSHOT_TOO_LARGE, pause)
    return
  }
  response.setHeader('Content-Type', JSON_TYPE)
  response.setHeader('Content-Length', length)
  for (const chunk of chunks) {
    response.write(chunk)
    if (response.destroyed) return
    await (response.writableNeedDrain ? drainOf(response) : pause?.())
  }
  response.end()
}

async function sendJson(response: ServerResponse, body: unknown, pause?: Pause): Promise<void> {
  response.setHeader('Content-Type', JSON_TYPE)
  const text = new TextChunks()
  const writing = writePieces(body, (piece) => text.add(piece))
  while (writing.next().done !== true) {
    for (const chunk of text.takeComplete()) response.write(chunk)
    if (response.destroyed) return
    const wait = response.writableNeedDrain ? drainOf(response) : pause?.()
    if (wait) await wait
  }
  response.end(Buffer.concat(text.takeAll()))
}

const JSON_TYPE = 'application/json; charset=utf-8'

/** Resolves when a response can be written again, or its client has gone. */
function drainOf(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      response.off('drain', settle).off('close', settle)
      resolve()
    }
    response.on('drain', settle).on('close', settle)
  })
}
