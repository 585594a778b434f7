import { ApiError } from '../api/api-error.ts'
import { api } from '../api/client.ts'
import { transport, connection, loseConnection, sleep, regainConnection } from '../api/transport.ts'
import type { JournalEntry } from '../api/types.ts'
import { addEntries, clearJournal, journal, latestSequence } from './shown-journal.ts'

/** Messages between pages of one browser that show the same world. The page with the lock reads the stream for all pages. */
type Message =
  | { type: 'entries'; entries: readonly JournalEntry[] }
  /** The server responds again, and the stream is read from the beginning. */
  | { type: 'restart' }
  /** The stream has broken. Each page then tests its connection to the server. */
  | { type: 'lost' }
  /** A page without the earlier entries asks for them. */
  | { type: 'hello'; page: string }
  /** A page begins to read the stream for all pages. Pages without the earlier entries ask again. */
  | { type: 'leading' }
  | { type: 'backlog'; page: string; entries: readonly JournalEntry[]; isLast: boolean }

const RETRY_MS = 250
const REFUSAL_MS = 3000

/** Maximum number of entries per `backlog` message, so that no message keeps a page busy for long. */
const BACKLOG_PIECE = 1000

/**
 * Follows the journal of a world until the signal aborts, through a stream of this page or through another page of this browser.
 * Calls `onCommand` when commands arrive, except in the backlog from another page.
 */
export function followJournal(world: string, signal: AbortSignal, onCommand: () => void): void {
  clearJournal()
  const take = (entries: readonly JournalEntry[]): void => {
    addEntries(entries)
    if (entries.some(({ kind }) => kind === 'command')) onCommand()
  }
  // Without locks, each page reads its own stream. Browsers have locks only on localhost and over HTTPS.
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
 * Exchanges entries with other pages. While another page leads, adds the entries from that page. While this page leads, sends the
 * backlog to pages that ask for it. The caller sets the returned flag when this page begins to lead.
 */
function shareStream(
  channel: BroadcastChannel,
  take: (entries: readonly JournalEntry[]) => void,
): { value: boolean } {
  const page = crypto.randomUUID()
  const isLeading = { value: false }
  /** False until the backlog arrives or the stream restarts. Until then, live entries are ignored; the backlog will have them. */
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
  /** Called before the stream is read again from its beginning. */
  restart: () => void
  lose: () => void
}

async function readStream(signal: AbortSignal, { take, restart, lose }: Sink): Promise<void> {
  let since = latestSequence()
  while (!signal.aborted) {
    try {
      const response = await api.send('GET', '/requests/stream', {
        // Makes the server keep the bodies of responses while this stream is open.
        query: { bodies: true },
        headers: { 'last-event-id': String(since) },
        signal,
      })
      connection.value = 'open'
      if (response.body) {
        const add = inBatches(take, signal)
        for await (const entries of readEntries(response.body)) add(entries)
      }
      // The stream also ends if the key is revoked. A single request then asks for another key, before all panels read again.
      await api.get('/clock', {}, signal)
    } catch (error) {
      if (signal.aborted) return
      // A status means that a running server has refused the stream. Any other error is a broken connection.
      if (error instanceof ApiError && error.status > 0) await sleep(REFUSAL_MS)
    }
    if (signal.aborted) return
    lose()
    await sleep(RETRY_MS)
    await loseConnection()
    // Earlier entries are dropped, because another server may have replaced the previous one.
    restart()
    since = 0
  }
}

/** Minimum interval between updates of the page, however many entries arrive. */
const BATCH_MS = 100

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

/** Reads journal entries from a stream of server-sent events. Yields the entries of each chunk together. */
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
