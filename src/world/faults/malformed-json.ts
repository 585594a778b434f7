import { defineFaultKind } from './fault-kind.ts'

export const malformedJson = defineFaultKind({
  kind: 'malformed-json',
  description: 'The body comes whole, and its JSON cannot be read',
  fields: {},
  needsBody: true,
  alters: (response) => ({ ...response, body: response.body.subarray(0, -1) }),
})
