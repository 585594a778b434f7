import { defineFaultKind, noResponse } from './fault-kind.ts'

export const noAnswer = defineFaultKind({
  kind: 'no-answer',
  description: 'The connection stays open, but nothing is sent',
  fields: {},
  hasBody: false,
  replaces: (_, request) => noResponse(request, { end: 'silence' }),
})
