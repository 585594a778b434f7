import type { WireFault } from '../../contract/wire-fault.ts'
import type { ApiResponse } from '../../engine/messages.ts'
import { defineFaultKind } from './fault-kind.ts'
import type { AffectedRequest } from './fault-kind.ts'

export const reset = defineFaultKind({
  kind: 'reset',
  description: 'The connection is reset in place of a response',
  fields: {},
  hasBody: false,
  replaces: (_, request) => noResponse(request, { end: 'reset' }),
})

/** Represents a response that never arrives. */
export function noResponse({ reject }: AffectedRequest, wire: WireFault): ApiResponse {
  const { caller } = reject('gateway_timeout')
  return { status: 0, headers: {}, body: new Uint8Array(), caller, wire }
}
