import { defineFaultKind } from './fault-kind.ts'

export const malformedJson = defineFaultKind({
  kind: 'malformed-json',
  description: 'The body is sent in full, but its JSON is invalid',
  fields: {},
  needsBody: true,
  alters: (response) => ({ ...response, body: response.body.subarray(0, -1), shown: undefined }),
})
