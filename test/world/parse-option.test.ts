import { describe, expect, test } from 'vitest'
import { OptionError } from '../../src/world/options/option-error.ts'
import { parseOption, Switch } from '../../src/world/options/parse-option.ts'
import type { Reader } from '../../src/contract/read-fields.ts'
import { PathsOption, ProjectsOption } from '../../src/world/options/validators.ts'

const READERS: Record<'switch' | 'number' | 'list', Reader<unknown, unknown>> = {
  switch: Switch,
  number: ProjectsOption,
  list: PathsOption,
}

describe('an option takes a typed value, or the text of a shell or an environment variable', () => {
  test.each<[kind: keyof typeof READERS, input: unknown, value: unknown]>([
    ['switch', true, true],
    ['switch', 'true', true],
    ['switch', '1', true],
    ['switch', 'yes', true],
    ['switch', false, false],
    ['switch', 'false', false],
    ['switch', '0', false],
    ['switch', 'no', false],
    ['number', 0, 0],
    ['number', '0', 0],
    ['number', '012', 12],
    ['list', ['one', 'two'], ['one', 'two']],
    ['list', 'one, two', ['one', 'two']],
  ])('a %s: %j is %j', (kind, input, value) => {
    expect(parseOption(READERS[kind], input, 'option')).toEqual(value)
  })

  test.each<[kind: keyof typeof READERS, input: unknown]>([
    ['switch', ''],
    ['switch', 1],
    ['switch', 'TRUE'],
    ['number', ''],
    ['number', -1],
    ['number', '-1'],
    ['number', 1.5],
    ['number', '1e3'],
    ['number', true],
    ['number', '1000000000'],
    ['list', ''],
    ['list', 'one,'],
    ['list', []],
    ['list', ['one', 2]],
  ])('a %s is not %j', (kind, input) => {
    expect(() => parseOption(READERS[kind], input, 'option')).toThrow(OptionError)
  })
})
