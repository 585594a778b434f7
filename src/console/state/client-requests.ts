import { api } from '../api/client.ts'
import type { ClientResponse } from '../api/client.ts'
import type { ClientRequest, JournalRequest, RecordOf } from '../api/types.ts'
import { journal, latestSequence, targetOf } from './shown-journal.ts'

export interface SentRequest {
  request: ClientRequest
  response: ClientResponse
  /** Sequence of the last journal entry before the request; 0 for an empty journal. */
  after: number
}

/** Sends a request with `api.request`. Pass the result to `entryOf` to find the request in the journal. */
export async function sendRequest(request: ClientRequest, sentence: string): Promise<SentRequest> {
  const after = latestSequence()
  return { request, response: await api.request(request, sentence), after }
}

/** Maximum wait for a journal entry, which arrives in a batch after the response. */
const ENTRY_TIMEOUT_MS = 2000

const found = new WeakMap<SentRequest, Promise<JournalRequest | undefined>>()

/**
 * Finds a sent request in the journal: the first later entry with the same method and path. Resolves to undefined if none arrives
 * within `ENTRY_TIMEOUT_MS`.
 */
export function entryOf(sent: SentRequest): Promise<JournalRequest | undefined> {
  const entry = found.get(sent) ?? find(sent)
  found.set(sent, entry)
  return entry
}

function find({ request, after }: SentRequest): Promise<JournalRequest | undefined> {
  const { method = 'GET', path } = request
  return new Promise((resolve) => {
    const stop = journal.subscribe(({ entries }) => {
      for (const entry of entries) {
        if (entry.sequence <= after || entry.kind !== 'request') continue
        if (entry.method === method && targetOf(entry) === path) resolve(entry)
      }
    })
    setTimeout(() => {
      stop()
      resolve(undefined)
    }, ENTRY_TIMEOUT_MS)
  })
}

export type Token = RecordOf<'tokens'>

export async function listTokens(signal?: AbortSignal): Promise<readonly Token[]> {
  return (await api.list('tokens', { limit: 200 }, signal)).records
}

/** True for an active token that any IP address may use. */
export function isAccepted({ status, allowed_ips }: Token): boolean {
  return status === 'active' && allowed_ips === undefined
}

/** True for an active token that any IP address may use, and that has requests left when the world is loaded. */
export function isAcceptedFromStart(token: Token): boolean {
  return isAccepted(token) && token.spent === undefined
}

/** True for a token that passes `isAcceptedFromStart` and has all abilities. */
export function isUnrestricted(token: Token): boolean {
  return isAcceptedFromStart(token) && token.abilities.includes('*')
}

/** Returns an unrestricted token for the projects of an agency, preferably without rate limits; undefined if there is none. */
export function tokenFor(tokens: readonly Token[], agency: number): Token | undefined {
  const fitting = tokens.filter(
    (token) => isUnrestricted(token) && (token.agency === agency || token.agency === null),
  )
  return fitting.find(({ rate_limit }) => rate_limit === 'unlimited') ?? fitting[0]
}
