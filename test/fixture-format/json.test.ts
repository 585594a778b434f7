import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Path } from '../../src/contract/validation.ts'
import { parseYaml } from '../../src/fixtures/parse-yaml.ts'
import type { Source } from '../../src/fixtures/source.ts'

/**
 * JSON is read by `JSON.parse`, and its places by a scanner. Both come to what the YAML parser says, which
 * reads the same text when a comment follows it.
 */
const ASKS_YAML = '\n# as YAML'

const SPACES = ['', '', ' ', '\n', '\t', '\r\n', '\n  ']

/** A text as JSON may write it: escaped more or less. */
const Text = fc
  .tuple(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '"',
        '\\',
        '\\"',
        ':',
        '{',
        ',]',
        '#',
        '---',
        '<<',
        'a',
        'b',
        '1',
        '__proto__',
      ),
    ),
    fc.boolean(),
  )
  .map(([text, isEscaped]) => (isEscaped ? escapeAll(text) : JSON.stringify(text)))

const Scalar = fc.oneof(
  Text,
  fc.constantFrom(
    'null',
    'true',
    'false',
    '-0',
    '1e400',
    '-1E-7',
    '1.50',
    '12345678901234567890123',
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
  fc.integer().map(String),
)

/** Without a backslash: once it has met such a key, V8 13 of Node 24 takes a key that is a quote for it. */
const Key = Text.filter((text) => !String(JSON.parse(text)).includes('\\'))

/** A JSON text with space wherever it may stand. */
const Json = fc.letrec<{ value: string }>((tie) => ({
  value: fc
    .tuple(
      fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        Scalar,
        fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
        fc
          .array(fc.tuple(Space(), Key, Space(), tie('value')), { maxLength: 4 })
          .map(
            (pairs) => `{${pairs.map((parts) => parts.toSpliced(3, 0, ':').join('')).join(',')}}`,
          ),
      ),
      Space(),
      Space(),
    )
    .map(([text, before, after]) => `${before}${text}${after}`),
})).value

function Space() {
  return fc.constantFrom(...SPACES)
}

describe('a JSON fixture', () => {
  test('is the document that YAML is, each part of it in the same place', () => {
    fc.assert(
      fc.property(Json, fc.boolean(), (json, hasMark) => {
        const text = `${hasMark ? '\uFEFF' : ''}${json.trimStart()}`
        expect(read(text)).toEqual(read(text + ASKS_YAML))
      }),
      { numRuns: 1000 },
    )
  })

  const DUPLICATE = 'This key stands twice in the same map. Keep one of the two.'
  const FORBIDDEN = '"__proto__" cannot be a key. Remove it.'

  test.each([
    { marked: '{ "now": 1,\n  ▸"now": 1 }', message: DUPLICATE },
    {
      marked: String.raw`[{ "now": { "now": 1 } }, { "n\u006Fw": 1, ▸"now": 2 }]`,
      message: DUPLICATE,
    },
    { marked: '\uFEFF{ "a": "\\"a\\":", ▸"a": 2 }', message: DUPLICATE },
    { marked: '{ ▸"__proto__": 1 }', message: FORBIDDEN },
    {
      marked: String.raw`{ "policies": [{}, { ▸"\u005f_proto__": {} }] }`,
      message: FORBIDDEN,
    },
  ])('is refused where YAML would be: $marked', ({ marked, message }) => {
    const [before = '', after] = marked.split('▸')
    const lines = before.replace('\uFEFF', '').split('\n')
    const place = { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
    const problem = { file: 'world.json', ...place, path: '', message }
    expect(read(`${before}${after}`)).toEqual([problem])
  })

  test.each([5000, 100_000])('is refused at a depth of %i', (depth) => {
    const problem = { message: 'It is nested too deeply. Flatten it.' }
    expect(read(nested(depth))).toEqual([expect.objectContaining(problem)])
  })

  test.each([99, 100, 101, 102])('is read at a depth of %i as YAML is', (depth) => {
    expect(read(nested(depth))).toEqual(read(nested(depth) + ASKS_YAML))
    expect(read(nested(depth))).toHaveProperty('document')
  })

  test('may have a text of millions of escapes', () => {
    const text = JSON.stringify({ name: '"'.repeat(10_000_000) })
    expect(parseYaml({ name: 'world.json', text })).toHaveProperty('document')
  })
})

/** Lists in lists. */
function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth)
}

/** The document and where everything in it stands, or what is wrong with it. */
function read(text: string): unknown {
  const source = parseYaml({ name: 'world.json', text })
  if (Array.isArray(source)) return source
  return { document: source.document, places: placesIn(source, source.document, []) }
}

function placesIn(source: Source, value: unknown, path: Path): unknown[] {
  const missing = [...path, 'missing', 0]
  const own = [path, missing].flatMap((at) => [source.locate(at, true), source.locate(at, false)])
  if (typeof value !== 'object' || value === null) return own
  const isList = Array.isArray(value)
  const children = Object.entries(value).flatMap(([key, child]) =>
    placesIn(source, child, [...path, isList ? Number(key) : key]),
  )
  return [...own, ...children]
}

function escapeAll(text: string): string {
  const units = text.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'))
  return `"${units.map((unit) => String.raw`\u${unit}`).join('')}"`
}
