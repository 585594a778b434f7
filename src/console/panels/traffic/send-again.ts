import { api } from '../../api/client.ts'
import type { ClientRequest, JournalRequest } from '../../api/types.ts'
import { targetOf } from '../../state/journal.ts'
import { notify } from '../../state/notices.ts'
import { entryOf, sendRequest } from '../../state/sent-request.ts'
import type { Detail } from './traffic-file.ts'
import { heldAt, select } from './traffic-state.ts'

/** Headers that change a response; the others are the browser's own. */
const KEPT_HEADERS = /^(?:accept|accept-language|if-none-match|if-modified-since|x-.+)$/i

/** A bearer value that no token has: what got a 401 gets it again. */
const UNKNOWN_TOKEN = 'unknown-token'

/** A request of the journal as a client sends it, with the value of its token. */
export async function toClientRequest(
  request: JournalRequest,
  { request_headers }: Pick<Detail, 'request_headers'>,
  signal?: AbortSignal,
): Promise<ClientRequest> {
  const kept = request_headers.filter(
    ({ name, value }) => KEPT_HEADERS.test(name) && value !== '*/*' && value !== '*',
  )
  return {
    method: request.method,
    path: targetOf(request),
    token: await tokenOf(request, signal),
    headers: Object.fromEntries(kept.map(({ name, value }) => [name, value])),
  }
}

async function tokenOf(
  { token_id, scheme }: JournalRequest,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (token_id === null) return scheme === null ? undefined : UNKNOWN_TOKEN
  return (await api.get(`/records/tokens/${token_id}`, {}, signal)).token
}

/** Sends a request once more, selects what comes of it, and lets the list go along. */
export async function sendAgain(request: JournalRequest, detail: Detail): Promise<void> {
  const again = await toClientRequest(request, detail)
  const sent = await sendRequest(again, `Sent ${again.method} ${again.path} again`)
  const { status } = sent.response
  const was = request.status === status ? 'as before' : `before ${request.status}`
  notify(`Sent again: ${status}, ${was}`)
  const entry = await entryOf(sent)
  if (!entry) return
  heldAt.value = entry.sequence
  select(entry.sequence)
}
