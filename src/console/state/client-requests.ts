import { api } from '../api/client.ts'
import type { ClientResponse } from '../api/client.ts'
import type { ClientRequest, JournalRequest, RecordOf } from '../api/types.ts'
import { journal, latestSequence, targetOf } from './kept-journal.ts'

/** A request that this page sent, with its response. */
export interface SentRequest {
  request: ClientRequest
  response: ClientResponse
  /** Latest sequence of the journal before the request, whose own entry comes later. */
  after: number
}

/** Sends a request like `api.request`, for a response that is shown together with its journal entry. */
export async function sendRequest(request: ClientRequest, sentence: string): Promise<SentRequest> {
  const after = latestSequence()
  return { request, response: await api.request(request, sentence), after }
}

/** Maximum wait for the journal entry of a request, in milliseconds: the journal comes in batches. */
const PATIENCE_MS = 2000

const found = new WeakMap<SentRequest, Promise<JournalRequest | undefined>>()

/** Returns the journal entry of a sent request; undefined if none comes. Each request is looked up once. */
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
    }, PATIENCE_MS)
  })
}

export type Token = RecordOf<'tokens'>

/** Maximum number of tokens listed; the worlds that people look at have fewer. */
const LISTED = 200

export async function listTokens(signal?: AbortSignal): Promise<readonly Token[]> {
  return (await api.list('tokens', { limit: LISTED }, signal)).records
}

/** True if the API answers this token's requests as long as its limit allows. */
export function isServed({ status, allowed_ips }: Token): boolean {
  return status === 'active' && allowed_ips === undefined
}

/** True for a token that is also served from the start of the world: it begins with requests left. */
export function isServedNow(token: Token): boolean {
  return isServed(token) && token.spent === undefined
}

/** True if the API answers any request with this token from this machine, from the start of the world on. */
export function isUsable(token: Token): boolean {
  return isServedNow(token) && token.abilities.includes('*')
}

/** Returns a token that sees the projects of an agency, preferably one without limits; undefined if there is none. */
export function tokenFor(tokens: readonly Token[], agency: number): Token | undefined {
  const fitting = tokens.filter(
    (token) => isUsable(token) && (token.agency === agency || token.agency === null),
  )
  return fitting.find(({ rate_limit }) => rate_limit === 'unlimited') ?? fitting[0]
}
