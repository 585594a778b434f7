import { expect, test } from 'vitest'
import { CHECK_IDS } from '../../src/review/checks/index.ts'
import { findUnknown, projectOf } from '../../src/review/requirements.ts'

/** Names that `--require` and waivers accept: checks, and other requirements. */

test.each([...CHECK_IDS, 'delivered', 'delivered:new', 'delivered:101', 'warnings'])(
  '%s can be required',
  (what) => {
    expect(findUnknown(what)).toBeUndefined()
  },
)

test.each([
  ['backof', '"backof" is not a requirement. Did you mean "backoff"?'],
  ['delivered:x', '"delivered:x" is not a requirement.'],
  ['delivered:0', '"delivered:0" is not a requirement.'],
  ['', '"" is not a requirement. Use the id of a check, delivered, delivered:new, warnings or'],
])('"%s" cannot', (what, problem) => {
  expect(findUnknown(what)).toContain(problem)
})

test('a requirement about one project names it', () => {
  expect(['delivered:101', 'delivered:new', 'delivered'].map(projectOf)).toEqual([
    101,
    undefined,
    undefined,
  ])
})
