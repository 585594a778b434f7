import { defineFaultKind, noResponse } from './fault-kind.ts'

export const resetFault = defineFaultKind({
  kind: 'reset',
  description: 'The connection is reset in place of a response',
  fields: {},
  hasBody: false,
  replaces: (_, request) => noResponse(request, { end: 'reset' }),
})
