import { api } from '../../api/client.ts'
import type { ClientRequest, JournalRequest } from '../../api/types.ts'
import { journal } from '../../state/journal.ts'
import { notify } from '../../state/notices.ts'
import { targetOf } from './line.ts'
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

/** Sends a request once more, and selects what comes of it. */
export async function sendAgain(request: JournalRequest, detail: Detail): Promise<void> {
  const before = journal.peek().entries.at(-1)?.sequence ?? 0
  const again = await toClientRequest(request, detail)
  const { status } = await api.request(again, `Sent ${again.method} ${again.path} again`)
  const was =
    request.status === status ? `${status}, as before` : `${status}, before ${request.status}`
  notify(`Sent again: ${was}`)
  selectNext(request, before)
}

/** How long its entry is waited for: the journal comes in batches. */
const PATIENCE_MS = 2000

/** Selects the entry of a request once the journal has it, and lets the list go along. */
function selectNext({ method, path, query, token_id }: JournalRequest, before: number): void {
  let stop: (() => void) | undefined
  let isFound = false
  stop = journal.subscribe(({ entries }) => {
    const found = entries.findLast(
      (entry) =>
        entry.kind === 'request' &&
        entry.sequence > before &&
        entry.method === method &&
        entry.path === path &&
        entry.query === query &&
        entry.token_id === token_id,
    )
    if (!found || isFound) return
    isFound = true
    stop?.()
    heldAt.value = found.sequence
    select(found.sequence)
  })
  setTimeout(stop, PATIENCE_MS)
}
