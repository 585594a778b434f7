import { getHeapStatistics } from 'node:v8'
import { MEGABYTE } from '../../contract/megabyte.ts'
import { endOfString } from '../../contract/nesting.ts'
import { BodyError } from '../../control-api/parse-body.ts'

/**
 * Requires that this many bytes fit into the heap of this thread.
 *
 * @param youngBytes The part of its limit that is only for new objects.
 * @throws BodyError
 */
export function requireMemory(bytes: number, youngBytes: number): void {
  const { heap_size_limit, used_heap_size } = getHeapStatistics()
  if (bytes < heap_size_limit - youngBytes - used_heap_size) return
  const message = `This takes about ${Math.ceil(bytes / MEGABYTE)} MB of memory, and the server has less left. Send less, or start it with NODE_OPTIONS=--max-old-space-size=8192.`
  throw new BodyError('insufficient_memory', message)
}

const CONTAINER_BYTES = 64
const ENTRY_BYTES = 24

/**
 * The memory that a JSON text takes once it is parsed, roughly, in bytes. V8 ends the process where its parser runs out
 * of memory, so this has to be known before parsing.
 */
export function parsedBytesOf(text: string): number {
  let bytes = 0
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case '"': {
        const end = endOfString(text, at)
        bytes += end - at
        at = end
        break
      }
      case '[':
      case '{':
        bytes += CONTAINER_BYTES
        break
      case ',':
        bytes += ENTRY_BYTES
        break
    }
  }
  return bytes
}
