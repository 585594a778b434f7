import { api } from '../api/client.ts'
import type { ClientResponse } from '../api/client.ts'
import type { ClientRequest, JournalRequest, RecordOf } from '../api/types.ts'
import { journal, latestSequence, targetOf } from './kept-journal.ts'

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

/** How long its entry is waited for: the journal comes in batches. */
const PATIENCE_MS = 2000

const found = new WeakMap<SentRequest, Promise<JournalRequest | undefined>>()

/** The entry of the journal for a request that was sent; undefined where none comes. It is looked for once. */
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

/** Worlds that people look at have fewer tokens than this. */
const LISTED = 200

export async function listTokens(signal?: AbortSignal): Promise<readonly Token[]> {
  return (await api.list('tokens', { limit: LISTED }, signal)).records
}

/** Returns true if the API answers any request with this token from this machine, from the start of the world on. */
export function isUsable({ status, allowed_ips, spent, abilities }: Token): boolean {
  return (
    status === 'active' &&
    allowed_ips === undefined &&
    spent === undefined &&
    abilities.includes('*')
  )
}

/** A token that sees the projects of an agency, one without limits where there is one; undefined for none. */
export function tokenFor(tokens: readonly Token[], agency: number): Token | undefined {
  const fitting = tokens.filter(
    (token) => isUsable(token) && (token.agency === agency || token.agency === null),
  )
  return fitting.find(({ rate_limit }) => rate_limit === 'unlimited') ?? fitting[0]
}
