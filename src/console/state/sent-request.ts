import { useRef } from 'preact/hooks'
import { api } from '../api/client.ts'
import type { ClientResponse } from '../api/client.ts'
import type { ClientRequest, JournalRequest } from '../api/types.ts'
import { journal, latestSequence } from './journal.ts'

/** A request that this page sent, with its response. */
export interface SentRequest {
  request: ClientRequest
  response: ClientResponse
  /** The latest sequence of the journal before it was sent: its own entry comes after that. */
  after: number
}

/** As `api.request`, for a response that is shown with what the journal says of it. */
export async function sendRequest(request: ClientRequest, sentence: string): Promise<SentRequest> {
  const after = latestSequence()
  return { request, response: await api.request(request, sentence), after }
}

/** The entry of the journal for a request that was sent; undefined until it has come. */
export function useEntryOf(sent: SentRequest): JournalRequest | undefined {
  const found = useRef<{ of: SentRequest; entry: JournalRequest } | null>(null)
  if (found.current?.of === sent) return found.current.entry
  void journal.value
  const entry = findEntry(sent)
  if (entry) found.current = { of: sent, entry }
  return entry
}

/** The first entry after the request was sent that is like it. */
function findEntry({ request, after }: SentRequest): JournalRequest | undefined {
  const { entries } = journal.peek()
  const { method = 'GET', path } = request
  const first = entries.findLastIndex(({ sequence }) => sequence <= after) + 1
  for (let index = first; index < entries.length; index += 1) {
    const entry = entries[index]
    if (entry?.kind !== 'request' || entry.method !== method) continue
    if ((entry.query === '' ? entry.path : `${entry.path}?${entry.query}`) === path) return entry
  }
  return undefined
}
