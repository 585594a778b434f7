// This worker reads a traffic file. It sends the entries to the page, and the details of a request only when the page asks for
// them.

import type { JournalEntry } from '../../api/types.ts'
import { FileRefusal, readTrafficFile } from './traffic-file.ts'
import type { Detail, TrafficFile } from './traffic-file.ts'

export type FileQuestion = { type: 'open'; file: File } | { type: 'detail'; sequence: number }

export type FileReply =
  | { type: 'entries'; entries: JournalEntry[] }
  | { type: 'end'; kind: TrafficFile['kind'] }
  | { type: 'refused'; reason: string }
  | { type: 'detail'; sequence: number; detail: Detail | null }

/** Maximum number of entries per message, so that no message keeps the page busy for long. */
const MAXIMUM_PIECE = 500

let details: TrafficFile['details'] = new Map()

addEventListener('message', ({ data }: MessageEvent<FileQuestion>) => {
  if (data.type === 'open') void open(data.file)
  else
    reply({ type: 'detail', sequence: data.sequence, detail: details.get(data.sequence) ?? null })
})

async function open(input: File): Promise<void> {
  try {
    const file = readTrafficFile(await input.text())
    details = file.details
    for (let start = 0; start < file.entries.length; start += MAXIMUM_PIECE) {
      reply({ type: 'entries', entries: file.entries.slice(start, start + MAXIMUM_PIECE) })
    }
    reply({ type: 'end', kind: file.kind })
  } catch (error) {
    const reason = error instanceof FileRefusal ? error.message : 'The file could not be read.'
    reply({ type: 'refused', reason })
    if (!(error instanceof FileRefusal) && !(error instanceof DOMException)) throw error
  }
}

function reply(message: FileReply): void {
  postMessage(message)
}
