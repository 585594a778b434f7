import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PolicyValue } from '../../src/contract/policies.ts'
import type { ProjectRecord } from '../../src/contract/project.ts'
import { createMatch, findMatches } from '../../src/engine/search.ts'
import { runs } from '../support/depth.ts'

/** Specification 4.3, G-042: a partial match anywhere in a name or a domain. */

type Match = PolicyValue<'search-match'>
type Searched = Pick<ProjectRecord, 'name' | 'domain'>

/** The positions of the projects that a text finds. */
function find(wanted: string, projects: readonly Searched[], match: Match): number[] {
  const records = projects as readonly ProjectRecord[]
  const found = findMatches(
    records,
    createMatch(wanted, () => match as never),
  )
  return found.map((record) => records.indexOf(record))
}

function finds(wanted: string, name: string): boolean {
  return find(wanted, [{ name, domain: null }], 'like').length === 1
}

describe('a partial match is found', () => {
  test.each([
    ['fish', 'Fish and chips'],
    ['and', 'Fish and chips'],
    ['chips', 'Fish and chips'],
    ['s', 'Fish and chips'],
    ['chip_', 'Fish and chips'],
    ['f%s', 'Fish and chips'],
    ['fish and chips', 'Fish and chips'],
    ['øl', 'Havnens øl'],
  ])('%s in %s', (wanted, name) => expect(finds(wanted, name)).toBe(true))

  test.each([
    ['chipss', 'Fish and chips'],
    ['chips_', 'Fish and chips'],
    ['s%f', 'Fish and chip'],
  ])('but not %s in %s', (wanted, name) => expect(finds(wanted, name)).toBe(false))
})

describe('a text finds the same projects as a look at each field would', () => {
  const matches: Match[] = ['substring', 'like']
  /** Few characters, for many matches: some change length with their case, or take two code units. */
  const Few = fc.constantFrom(
    'a',
    'A',
    'b',
    '%',
    '_',
    '\n',
    ' ',
    'é',
    'e\u0301',
    'É',
    'İ',
    'ß',
    'Σ',
    'σ',
    'ς',
    '\u0301',
    '𐐀',
    '𐐨',
    '😀',
    'ﬁ',
    '\u0000',
  )
  const Any = fc.oneof({ weight: 3, arbitrary: Few }, fc.string({ unit: 'binary', maxLength: 1 }))
  const Broken = fc.oneof(
    { weight: 9, arbitrary: Any },
    fc.constantFrom('\uD83D', '\uDE00', '\uD801'),
  )
  const Text = (unit: fc.Arbitrary<string>) => fc.array(unit, { maxLength: 9 })
  const Field = Text(Broken).map((units) => units.join(''))
  const Projects = fc.array(fc.record({ name: Field, domain: fc.option(Field) }), { maxLength: 8 })
  // A query has no broken characters: they are replaced when it is decoded.
  const Wanted = Text(Any).map((units) => units.join(''))

  test.each(matches)('with search-match %s', (match) => {
    fc.assert(
      fc.property(Wanted, Projects, (wanted, projects) => {
        expect(find(wanted, projects, match)).toEqual(findOneByOne(wanted, projects, match))
      }),
      { numRuns: runs(5000) },
    )
  })

  test.each(matches)('with search-match %s, for a part of a field', (match) => {
    fc.assert(
      fc.property(Projects, fc.nat(60), fc.nat(12), (projects, from, length) => {
        const fields = projects.flatMap(({ name, domain }) => [name, domain ?? ''])
        const wanted = asDecoded(fields.join('').slice(from, from + length))
        expect(find(wanted, projects, match)).toEqual(findOneByOne(wanted, projects, match))
      }),
      { numRuns: runs(5000) },
    )
  })

  test.each([
    ['a domain, once', 'ab', [{ name: 'ab', domain: 'ab' }, aSearched('ab')]],
    ['more characters than a field has', '____', [{ name: 'ab', domain: 'cd' }]],
    ['as many characters as a field has', '__', [aSearched('😀a'), aSearched('😀'), aSearched('')]],
    ['nothing', '%', [aSearched('a'), aSearched(''), { name: '', domain: 'b' }]],
    ['a final sigma', 'ος', [{ name: 'ΛΟΓΟΣ', domain: 'ΛΟΓΟΣ' }, aSearched('ΛΟΓΟΣΑ')]],
    ['a capital that becomes two characters', 'xi', [aSearched('İİİXI'), aSearched('İX')]],
  ])('for %s', (_, wanted, projects) => {
    for (const match of matches) {
      expect(find(wanted, projects, match)).toEqual(findOneByOne(wanted, projects, match))
    }
  })

  test('for patterns of thousands of wildcards', () => {
    const projects = [aSearched('a'.repeat(2000)), aSearched('b'), aSearched('a'.repeat(4000))]
    for (const wanted of [
      '%a'.repeat(2500),
      '_'.repeat(3000),
      '%%%'.repeat(2500),
      '_%a'.repeat(1500),
    ])
      expect(find(wanted, projects, 'like')).toEqual(findOneByOne(wanted, projects, 'like'))
  })
})

/** A text as decoded from a query: without halves of surrogate pairs. */
function asDecoded(text: string): string {
  return new TextDecoder().decode(new TextEncoder().encode(text))
}

function aSearched(name: string): Searched {
  return { name, domain: null }
}

/** Finds the projects whose name or domain matches, one by one. */
function findOneByOne(wanted: string, projects: readonly Searched[], match: Match): number[] {
  const matches = match === 'like' ? createLike(wanted) : createSubstring(wanted)
  return projects.flatMap(({ name, domain }, index) =>
    matches(name) || (domain !== null && matches(domain)) ? [index] : [],
  )
}

function createSubstring(text: string): (value: string) => boolean {
  const wanted = text.toLowerCase()
  return (value) => value.toLowerCase().includes(wanted)
}

/** `%text%` as in LIKE: the parts between wildcards match in order, each as early as possible. */
function createLike(text: string): (value: string) => boolean {
  const parts = fold(text)
    .split('%')
    .map((part) => Array.from(part))
  return (value) => {
    const characters = Array.from(fold(value))
    let position = 0
    return parts.every((part) => {
      position = findPart(characters, part, position)
      return position !== -1
    })
  }
}

/** The index after the first match of a part, in which `_` is any one character; -1 for none. */
function findPart(text: readonly string[], part: readonly string[], from: number): number {
  for (let start = from; start + part.length <= text.length; start += 1) {
    const isHere = part.every(
      (character, index) => character === '_' || character === text[start + index],
    )
    if (isHere) return start + part.length
  }
  return -1
}

/** Removes accents and case. */
function fold(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()
}
