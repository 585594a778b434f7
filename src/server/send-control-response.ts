import type { ServerResponse } from 'node:http'
import { jsonPieces } from '../contract/json-pieces.ts'
import type { Pause } from '../contract/steps.ts'
import { errorResponse } from '../control-api/control-error.ts'
import type { ControlResponse } from '../control-api/routes/route.ts'
import { sendEvents } from './event-stream.ts'
import { CHUNK_LENGTH, toChunks } from './text-chunks.ts'

interface Sending {
  pause: Pause
  /** Counts the work of sending events. */
  measure: (send: () => void) => void
}

/** A response with what it writes, which may have so many bytes. */
export async function toWritten(
  { write, ...controlResponse }: ControlResponse,
  limitBytes: number,
): Promise<ControlResponse> {
  if (!write) return controlResponse
  const content = Buffer.concat(await toChunks(write))
  if (content.length > limitBytes) return snapshotTooLarge(limitBytes)
  return { ...controlResponse, text: { type: JSON_TYPE, content } }
}

/**
 * Sends a response as fast as the client reads it, with pauses for other clients. Once the client has gone, the rest is not
 * computed.
 */
export async function sendControlResponse(
  response: ServerResponse,
  { status, body, text, stream }: ControlResponse,
  { pause, measure }: Sending,
): Promise<void> {
  response.statusCode = status
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

function snapshotTooLarge(limitBytes: number): ControlResponse {
  const limitMb = limitBytes / 2 ** 20
  const limit = Number.isInteger(limitMb) ? `${limitMb} MB` : `${limitBytes} bytes`
  return errorResponse(
    422,
    'snapshot_too_large',
    `This world takes more than ${limit} as a snapshot, and could not be restored over HTTP. Keep it with --state.`,
  )
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
