import { ApiError } from '../api/api-error.ts'
import { api } from '../api/client.ts'
import { transport, connection, loseConnection, sleep, regainConnection } from '../api/transport.ts'
import type { JournalEntry } from '../api/types.ts'
import { addEntries, clearJournal, journal, latestSequence } from './shown-journal.ts'

/** Messages between the pages of one browser. The page that holds the lock reads the stream for all pages. */
type Message =
  | { type: 'entries'; entries: readonly JournalEntry[] }
  /** The server responds again, and the stream is read from the beginning. */
  | { type: 'restart' }
  /** The stream has broken: each page checks that the server still exists. */
  | { type: 'lost' }
  /** A newly opened page asks for the earlier entries. */
  | { type: 'hello'; page: string }
  /** A page begins to lead. Pages without the earlier entries then ask for them. */
  | { type: 'leading' }
  | { type: 'backlog'; page: string; entries: readonly JournalEntry[]; isLast: boolean }

const RETRY_MS = 250
const REFUSAL_MS = 3000

/** Maximum number of entries per message, so that no message keeps a page busy for long. */
const BACKLOG_PIECE = 1000

/**
 * Follows the journal of a world until the signal aborts, over this page's own stream or through another page of this browser.
 * Calls `onCommand` when commands have arrived.
 */
export function followJournal(world: string, signal: AbortSignal, onCommand: () => void): void {
  clearJournal()
  const take = (entries: readonly JournalEntry[]): void => {
    addEntries(entries)
    if (entries.some(({ kind }) => kind === 'command')) onCommand()
  }
  // Browsers have locks only on localhost and over HTTPS. Without locks, each page reads a stream of its own.
  if (!transport().isShared || !('locks' in navigator)) {
    void readStream(signal, { take, restart: clearJournal, lose: () => {} })
    return
  }
  const name = `seo-sandbox journal ${world}`
  const channel = new BroadcastChannel(name)
  signal.addEventListener('abort', () => channel.close())
  const isLeading = shareStream(channel, take)
  const lead = async (): Promise<void> => {
    isLeading.value = true
    post(channel, { type: 'leading' })
    await readStream(signal, {
      take: (entries) => {
        take(entries)
        post(channel, { type: 'entries', entries })
      },
      restart: () => {
        clearJournal()
        post(channel, { type: 'restart' })
      },
      lose: () => post(channel, { type: 'lost' }),
    })
  }
  navigator.locks.request(name, { signal }, lead).catch((error: unknown) => {
    if (!signal.aborted) reportError(error)
  })
}

/**
 * Exchanges entries with other pages: takes entries from the leading page, or sends the backlog to pages that ask once this page
 * leads. Returns a flag for the caller to set when this page leads.
 */
function shareStream(
  channel: BroadcastChannel,
  take: (entries: readonly JournalEntry[]) => void,
): { value: boolean } {
  const page = crypto.randomUUID()
  const isLeading = { value: false }
  /** False until the backlog has arrived. Until then, live entries are ignored, because the backlog contains them. */
  let hasBacklog = false
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (isLeading.value) {
      if (data.type === 'hello') sendBacklog(channel, data.page)
    } else if (data.type === 'restart') {
      hasBacklog = true
      clearJournal()
      regainConnection()
    } else if (data.type === 'lost') {
      void loseConnection()
    } else if (data.type === 'leading') {
      if (!hasBacklog) post(channel, { type: 'hello', page })
    } else if (data.type === 'entries') {
      if (hasBacklog) take(data.entries)
    } else if (data.type === 'backlog' && data.page === page) {
      hasBacklog ||= data.isLast
      addEntries(data.entries)
    }
  })
  post(channel, { type: 'hello', page })
  return isLeading
}

function sendBacklog(channel: BroadcastChannel, page: string): void {
  const { entries } = journal.peek()
  for (let start = 0; start === 0 || start < entries.length; start += BACKLOG_PIECE) {
    const end = start + BACKLOG_PIECE
    const piece = entries.slice(start, end)
    post(channel, { type: 'backlog', page, entries: piece, isLast: end >= entries.length })
  }
}

function post(channel: BroadcastChannel, message: Message): void {
  channel.postMessage(message)
}

interface Sink {
  take: (entries: readonly JournalEntry[]) => void
  /** Called before the journal is read from its beginning. */
  restart: () => void
  lose: () => void
}

/** Reads the stream, and reconnects each time it breaks. */
async function readStream(signal: AbortSignal, { take, restart, lose }: Sink): Promise<void> {
  let since = latestSequence()
  while (!signal.aborted) {
    try {
      const response = await api.send('GET', '/requests/stream', {
        // Lets the server keep the bodies of responses while this page watches.
        query: { bodies: true },
        headers: { 'last-event-id': String(since) },
        signal,
      })
      connection.value = 'open'
      if (response.body) {
        const add = inBatches(take, signal)
        for await (const entries of readEntries(response.body)) add(entries)
      }
      // Servers end the stream of a revoked key. A single request then has the key refused, before every panel reads again.
      await api.get('/clock', {}, signal)
    } catch (error) {
      if (signal.aborted) return
      // An error with a status is a refusal by a running server. After any other error, the connection is broken.
      if (error instanceof ApiError && error.status > 0) await sleep(REFUSAL_MS)
    }
    if (signal.aborted) return
    lose()
    await sleep(RETRY_MS)
    await loseConnection()
    // The server may have been replaced, so all entries read before are dropped.
    restart()
    since = 0
  }
}

/** Interval at which the page is updated, however many entries arrive. */
const BATCH_MS = 100

/** Returns a function that collects entries and passes them to `take` every `BATCH_MS`, until the signal aborts. */
function inBatches(take: Sink['take'], signal: AbortSignal): Sink['take'] {
  let batch: JournalEntry[] = []
  const flush = (): void => {
    const entries = batch
    batch = []
    if (!signal.aborted) take(entries)
  }
  return (entries) => {
    if (batch.length === 0) setTimeout(flush, BATCH_MS)
    batch.push(...entries)
  }
}

/** Reads journal entries from a response of server-sent events. Yields the entries of each chunk together. */
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

/** Returns the entry of an event, in a list; an empty list for any other event. */
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
