import { countGrouped } from '../../../wording/count.ts'
import { orNull } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import type { ClientRequest, JournalRequest } from '../../api/types.ts'
import { faultedRequests } from '../../code/faulted-requests.ts'
import { showCode } from '../../frame/code-panel.tsx'
import { entryOf, sendRequest } from '../../state/client-requests.ts'
import { actionsHere, recordFaultedRequest } from '../../state/current-world.ts'
import { showNotice } from '../../state/notices.ts'
import { clocks } from '../../state/shown-clocks.ts'
import { journal, targetOf } from '../../state/shown-journal.ts'
import type { Detail } from './traffic-file.ts'
import { heldAt, open } from './traffic-state.ts'

/** Headers that may change a response. All other headers of a repeated request are left to the browser. */
const REPEATED_HEADERS = /^(?:accept|accept-language|if-none-match|if-modified-since|x-.+)$/i

/** Bearer value in place of an unknown token, whose value the journal does not contain. */
const UNKNOWN_TOKEN = 'unknown-token'

/**
 * Converts a request of the journal to one that can be sent, with the bearer value of its token. For an unknown token, the value
 * is `UNKNOWN_TOKEN`.
 */
export async function toClientRequest(
  request: JournalRequest,
  detail: Pick<Detail, 'request_headers'> | null,
  signal?: AbortSignal,
): Promise<ClientRequest> {
  const { method, token_id, scheme } = request
  const headers = (detail?.request_headers ?? []).filter(
    ({ name, value }) => REPEATED_HEADERS.test(name) && value !== '*/*' && value !== '*',
  )
  const token =
    token_id === null
      ? { token: scheme === null ? undefined : UNKNOWN_TOKEN }
      : await api.get(`/records/tokens/${token_id}`, {}, signal)
  return {
    method,
    path: targetOf(request),
    token: token.token,
    headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])),
  }
}

/**
 * Adds a request to the recorded steps, and shows the code. Sends the request again, unless a fault of a recorded step answered
 * it.
 */
export async function addToTest(request: JournalRequest, detail: Detail): Promise<void> {
  if (!(await recordFaulted(request, detail))) await sendAgain(request, detail)
  showCode()
}

export async function sendAgain(request: JournalRequest, detail: Detail): Promise<void> {
  await recordFaulted(request, detail)
  const again = await toClientRequest(request, detail)
  const sent = await sendRequest(again, `Sent ${again.method} ${again.path} again`)
  const { status } = sent.response
  const was = request.status === status ? 'as before' : `previously ${request.status}`
  showNotice(`Sent again: ${status}, ${was}`)
  const entry = await entryOf(sent)
  if (!entry) return
  heldAt.value = entry.sequence
  open(entry.sequence)
}

/**
 * Records the client request that each fault of a recorded step answered, after that step. Without this request, the fault would
 * answer a later request of the test. Returns true if the opened request, to which `detail` belongs, is recorded.
 */
async function recordFaulted(
  { sequence: opened }: JournalRequest,
  detail: Detail,
): Promise<boolean> {
  let hasOpened = false
  const faulted = faultedRequests(actionsHere.peek(), journal.peek().entries, opened)
  for (const { step, request, times } of faulted) {
    const { sequence, status } = request
    const isOpened = sequence === opened
    const read = isOpened ? detail : await orNull(api.get(`/requests/${sequence}`))
    const sent = await toClientRequest(request, read)
    const often = times > 1 ? `, the last of ${countGrouped(times, 'request')}` : ''
    const isAdded = recordFaultedRequest({
      kind: 'request',
      request: sent,
      status,
      ...(times > 1 && { times }),
      faultStep: step,
      sentence: `Your client sent ${sent.method} ${sent.path}${often}, and met the fault with a ${status}`,
      clocks: clocks.peek(),
    })
    hasOpened ||= isAdded && isOpened
  }
  return hasOpened
}
