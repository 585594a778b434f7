import { api } from '../../api/client.ts'
import type { TokenGauges } from '../../api/types.ts'
import { record } from '../../state/acts.ts'
import { clocks } from '../../state/clock.ts'
import { notify } from '../../state/notices.ts'

/** Above that it would take a minute and more. */
export const MOST_REQUESTS = 2000

const PATH = '/api/v1/me'

/** So many at a time: a browser has no more connections to a server. */
const AT_A_TIME = 4

/** Sends requests with a token until the API refuses one with a 429. */
export async function drain({ token_id, token: name }: TokenGauges): Promise<void> {
  const { token } = await api.get(`/records/tokens/${token_id}`)
  const request = { path: PATH, token }
  let sent = 0
  let last = 200
  const send = async (): Promise<void> => {
    while (last === 200 && sent < MOST_REQUESTS) {
      sent += 1
      const { status } = await api.requestUnrecorded(request)
      if (status !== 200) last = status
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, send))
  record({
    kind: 'request',
    request,
    status: last,
    times: sent,
    clocks: clocks.peek(),
    sentence: `Sent ${sent} requests with ${name}, until it got a ${last}`,
  })
  if (last === 429) return
  notify(`${name} gets ${last}, so that its requests are not counted.`, { isError: true })
}
