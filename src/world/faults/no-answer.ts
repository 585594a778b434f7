import { defineFaultKind } from './fault-kind.ts'
import { noResponse } from './reset.ts'

export const noAnswer = defineFaultKind({
  kind: 'no-answer',
  description: 'The connection stays open, and nothing is sent',
  fields: {},
  hasBody: false,
  replaces: (_, request) => noResponse(request, { end: 'silence' }),
})
