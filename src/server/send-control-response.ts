import type { ServerResponse } from 'node:http'
import { jsonPieces, CHUNK_LENGTH } from '../contract/json-pieces.ts'
import { JSON_TYPE } from '../control-api/respond.ts'
import type { ControlResponse } from '../control-api/routes/route.ts'
import { sendEvents } from './event-stream.ts'
import { LIMITED_HEADER } from './store-refusal.ts'

/** Sends a response as fast as the client reads it. Once the client has gone, the rest is not computed. */
export async function sendControlResponse(
  response: ServerResponse,
  { status, headers = {}, body, text, stream }: ControlResponse,
): Promise<void> {
  response.statusCode = status
  if (status === 429) response.setHeader(LIMITED_HEADER, 'host')
  // The rest of a body that comes too slowly is not waited for.
  if (status === 408) response.setHeader('Connection', 'close')
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  if (stream) {
    sendEvents(response, stream)
  } else if (text) {
    response.setHeader('Content-Type', text.type)
    response.end(text.content)
  } else if (body === undefined) {
    response.end()
  } else {
    await sendJson(response, body)
  }
}

async function sendJson(response: ServerResponse, body: unknown): Promise<void> {
  response.setHeader('Content-Type', JSON_TYPE)
  let text = ''
  for (const piece of jsonPieces(body)) {
    text += piece
    if (text.length >= CHUNK_LENGTH) {
      response.write(text)
      text = ''
    }
    if (response.destroyed) return
    if (response.writableNeedDrain) await drainOf(response)
  }
  response.end(text)
}

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
