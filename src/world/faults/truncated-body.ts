import { defineFaultKind, withWire } from './fault-kind.ts'

export const truncatedBody = defineFaultKind({
  kind: 'truncated-body',
  description: 'The connection is closed half-way through the body',
  fields: {},
  needsBody: true,
  alters: (response) => withWire(response, { end: 'truncated' }),
})
