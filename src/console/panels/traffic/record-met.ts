import { countGrouped } from '../../../wording/count.ts'
import type { ClientRequest, JournalRequest } from '../../api/types.ts'
import { metFaults } from '../../code/met-faults.ts'
import { actionsHere, recordMeeting } from '../../state/current-world.ts'
import { journal } from '../../state/kept-journal.ts'
import { clocks } from '../../state/shown-clocks.ts'

/**
 * Records the client's requests that were answered by recorded faults, each right after the step that armed the fault. Without
 * them, the faults would answer later requests of the test. Returns true if `opened` is among the recorded requests.
 */
export async function recordMet(
  opened: JournalRequest,
  toRequest: (request: JournalRequest) => Promise<ClientRequest>,
): Promise<boolean> {
  const met = metFaults(actionsHere.peek(), journal.peek().entries, opened.sequence)
  let hasOpened = false
  for (const { step, request, times } of met) {
    const sent = await toRequest(request)
    const often = times > 1 ? `, the last of ${countGrouped(times, 'request')}` : ''
    const isAdded = recordMeeting({
      kind: 'request',
      request: sent,
      status: request.status,
      ...(times > 1 && { times }),
      met: step,
      sentence: `Your client sent ${sent.method} ${sent.path}${often}, and met the fault with a ${request.status}`,
      clocks: clocks.peek(),
    })
    hasOpened ||= isAdded && request.sequence === opened.sequence
  }
  return hasOpened
}
