import { expect, test } from 'vitest'
import { GAPS } from '../src/contract/gaps.ts'
import { STATEMENTS } from './docs/statements.ts'
import type { Statement } from './docs/statements.ts'

/** Checks docs/conformance.md against the specification. test/docs/titles.test.ts looks for the tests that it names. */

/** The number of the last numbered rule in each section of the specification. */
const NUMBERED_RULES: [section: string, last: number][] = [
  ['1', 6],
  ['2.4', 4],
  ['2.7', 3],
  ['4.3', 5],
  ['4.5', 3],
  ['4.7', 3],
  ['5', 8],
  ['9', 3],
]

const TRAPS = 27

/** The section at the start of an id or of a title's last part: `4.5` of `4.5(2) the open report …`. */
function sectionOf(text: string): string | undefined {
  return /^\d+(\.\d+)?(?=[ (]|$)/.exec(text)?.[0]
}

/** The rules and sections that a title begins with: `4.3(1)` and `7` of `4.3(1), 7 a parameter that …`. */
function idsOf(name: string): string[] {
  const [listed = ''] = /^(?:\d+(?:\.\d+)?(?:\(\d+\))?,? )*/.exec(name) ?? []
  return listed.split(/,? /)
}

/**
 * True for a test whose name begins with the statement that it proves: a numbered rule, a trap, its section, or the default of
 * a gap in it.
 */
function isNamedAfter({ id, statement, title }: Statement): boolean {
  const name = title.split(' > ').at(-1) ?? ''
  if (/^T\d+$/.test(id)) return new RegExp(`\\((.+, )?${id}(, .+)?\\)`).test(name)
  if (/^[\d.]+\(\d+\)$/.test(id)) return idsOf(name).includes(id)
  const [, gap = 'none'] = /^(G-\d+) .+ unless it is set$/.exec(name) ?? []
  return idsOf(name).map(sectionOf).includes(sectionOf(id)) || statement.includes(gap)
}

function duplicatesIn(texts: readonly string[]): string[] {
  return texts.filter((text, index) => texts.indexOf(text) !== index)
}

function countTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1)
}

test('every statement has a test with the matching section, rule or trap in its title', () => {
  const misnamed = STATEMENTS.filter((row) => !isNamedAfter(row)).map(
    ({ id, title }) => `${id}: "${title}" is named after something else`,
  )
  expect(misnamed).toEqual([])
})

test('every statement has a unique id and a text', () => {
  expect(duplicatesIn(STATEMENTS.map(({ id }) => id))).toEqual([])
  expect(STATEMENTS.filter(({ id, statement }) => id === '' || statement === '')).toEqual([])
})

test('no numbered rule is missing', () => {
  const numbered = STATEMENTS.map(({ id }) => id).filter((id) => /^[\d.]+\(\d+\)$/.test(id))
  const expected = NUMBERED_RULES.flatMap(([section, last]) =>
    countTo(last).map((number) => `${section}(${number})`),
  )
  expect(numbered).toEqual(expected)
})

test('every section is present, in the order of the specification', () => {
  const sections = STATEMENTS.map(({ id }) => sectionOf(id)).filter((section) => section)
  const expected = [
    ['1'],
    countTo(10).map((number) => `2.${number}`),
    ['3', '4'],
    countTo(10).map((number) => `4.${number}`),
    ['5', '6', '7', '8', '9'],
  ].flat()
  expect([...new Set(sections)]).toEqual(expected)
})

test('every trap is present', () => {
  const traps = STATEMENTS.map(({ id }) => id).filter((id) => /^T\d+$/.test(id))
  expect(traps).toEqual(countTo(TRAPS).map((number) => `T${number}`))
})

test('every gap that a statement names is recorded', () => {
  const known = new Set<string>(GAPS.map(({ id }) => id))
  const unknown = STATEMENTS.flatMap(({ id, statement }) =>
    (statement.match(/G-\d+/g) ?? [])
      .filter((gap) => !known.has(gap))
      .map((gap) => `${id}: ${gap} is not in src/contract/gaps.ts`),
  )
  expect(unknown).toEqual([])
})
