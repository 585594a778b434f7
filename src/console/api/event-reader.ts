import type { JournalEntry } from './types.ts'

/** Reads the entries of the journal from a response of server-sent events, those of each chunk together. */
export async function* readEntries(
  body: ReadableStream<BufferSource>,
): AsyncGenerator<JournalEntry[]> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const events = (rest + value).split('\n\n')
    rest = events.pop() ?? ''
    const entries = events.flatMap(toEntry)
    if (entries.length > 0) yield entries
  }
}

/** The entry of an event; none for a heartbeat. */
function toEntry(event: string): JournalEntry[] {
  const lines = event.split('\n')
  const kind = valueOf('event', lines)
  const data = valueOf('data', lines)
  if ((kind !== 'request' && kind !== 'command') || data === undefined) return []
  return [{ kind, ...(JSON.parse(data) as object) } as JournalEntry]
}

function valueOf(field: string, lines: readonly string[]): string | undefined {
  const prefix = `${field}: `
  return lines.find((line) => line.startsWith(prefix))?.slice(prefix.length)
}
