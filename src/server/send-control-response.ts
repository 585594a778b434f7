import type { ServerResponse } from 'node:http'
import { jsonPieces } from '../contract/json-pieces.ts'
import type { Pause } from '../contract/steps.ts'
import { JSON_TYPE } from '../control-api/respond.ts'
import type { ControlResponse } from '../control-api/routes/route.ts'
import { sendEvents } from './event-stream.ts'
import { LIMITED_HEADER } from './store-refusal.ts'
import { CHUNK_LENGTH } from '../contract/text-chunks.ts'

interface Sending {
  pause: Pause
  /** Counts the work of sending events. */
  measure: (send: () => void) => void
}

/**
 * Sends a response as fast as the client reads it, with pauses for other clients. Once the client has gone, the rest is not
 * computed.
 */
export async function sendControlResponse(
  response: ServerResponse,
  { status, headers = {}, body, text, stream }: ControlResponse,
  { pause, measure }: Sending,
): Promise<void> {
  response.statusCode = status
  if (status === 429) response.setHeader(LIMITED_HEADER, 'host')
  // The rest of a body that comes too slowly is not waited for.
  if (status === 408) response.setHeader('Connection', 'close')
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  if (stream) {
    sendEvents(response, stream, measure)
  } else if (text) {
    response.setHeader('Content-Type', text.type)
    response.end(text.content)
  } else if (body === undefined) {
    response.end()
  } else {
    await sendJson(response, body, pause)
  }
}

async function sendJson(response: ServerResponse, body: unknown, pause: Pause): Promise<void> {
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
    const pausing = pause()
    if (pausing) await pausing
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
