import { defineFaultKind, withWire } from './fault-kind.ts'
import { WaitMs } from './latency.ts'

export const slowBody = defineFaultKind({
  kind: 'slow-body',
  description: 'The body is sent in pieces',
  fields: { ms: WaitMs.describe('Duration of the whole body, in milliseconds') },
  needsBody: true,
  alters: (response, { ms }) => withWire(response, { bodyMs: (response.wire?.bodyMs ?? 0) + ms }),
})
