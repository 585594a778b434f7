import { expect, test } from 'vitest'
import { quote } from '../../src/cli/print.ts'

/** Commands that are printed for pasting, as in `docs/getting-started.md` and `docs/judging.md`. */
test.for<[word: string, sh: string, cmd: string]>([
  ['fixtures/agency.yaml', 'fixtures/agency.yaml', 'fixtures/agency.yaml'],
  [
    String.raw`C:\work\agency.yaml`,
    String.raw`'C:\work\agency.yaml'`,
    String.raw`C:\work\agency.yaml`,
  ],
  ['my agency.yaml', `'my agency.yaml'`, '"my agency.yaml"'],
  ['a&b (1)', `'a&b (1)'`, '"a&b (1)"'],
  ['#1', `'#1'`, '"#1"'],
  ['$HOME', `'$HOME'`, '"$HOME"'],
  ['Søn', `'Søn'`, '"Søn"'],
  ["it's", String.raw`'it'\''s'`, `"it's"`],
  ['say "hi"', `'say "hi"'`, String.raw`"say \"hi\""`],
  [String.raw`a \"b`, String.raw`'a \"b'`, String.raw`"a \\\"b"`],
  ['my folder\\', String.raw`'my folder\'`, String.raw`"my folder\\"`],
  [String.raw`my\folder \x`, String.raw`'my\folder \x'`, String.raw`"my\folder \x"`],
  ['', `''`, '""'],
])('%j is pasted into sh as %s, and into cmd as %s', ([word, sh, cmd]) => {
  expect(quote(word, 'linux')).toBe(sh)
  expect(quote(word, 'darwin')).toBe(sh)
  expect(quote(word, 'win32')).toBe(cmd)
})
