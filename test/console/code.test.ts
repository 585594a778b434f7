import { execFileSync } from 'node:child_process'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { testCodeOf, requestCode } from '../../src/console/code/code-of.ts'
import type { CodeLanguage, RequestLanguage } from '../../src/console/code/code-of.ts'
import type { WorldOrigin } from '../../src/console/api/types.ts'
import {
  PYTHON,
  toLiteral,
  toPhpString,
  toShellWord,
  TYPESCRIPT,
} from '../../src/console/code/literal.ts'
import { withFaultedRequest } from '../../src/console/code/test-steps.ts'
import type { RecordedAction } from '../../src/console/code/test-steps.ts'
import { createSandbox } from '../../src/index.ts'
import { ACTIONS } from '../support/console-actions.ts'
import { runs } from '../support/depth.ts'
import { runConsoleTest } from '../support/run-console-test.ts'

/** Actions of the console as code, which reproduces the requests exactly, whatever their texts contain. */

const PLACE = { origin: 'http://127.0.0.1:4010', world: 'default', needsKey: false }
const LANGUAGES: CodeLanguage[] = ['typescript', 'python', 'curl']

test('a literal of TypeScript is the value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const code = toLiteral(value, TYPESCRIPT)
      const read: unknown = runInNewContext(`(${code})`)
      expect(JSON.stringify(read)).toBe(JSON.stringify(value))
    }),
    { numRuns: runs(1000) },
  )
})

test('a literal of Python is the value, where null, true and false are its words', () => {
  const texts = fc.string({ unit: 'binary', maxLength: 20 })
  fc.assert(
    fc.property(fc.array(fc.oneof(texts, fc.integer()), { maxLength: 3 }), (value) => {
      const code = toLiteral(value, PYTHON).replace(/,\n\]$/, ']')
      expect(JSON.parse(code)).toEqual(value)
    }),
    { numRuns: runs(200) },
  )
  expect(toLiteral({ a: [null, true, false] }, PYTHON)).toBe('{ "a": [None, True, False] }')
})

test('a word of a shell is the text', () => {
  const word = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0'))
  const words = [...fc.sample(word, 200), "it's", '$(id)', '`id`', '!!', '-n', '', '\n', '"']
  const script = `printf '%s\\0' ${words.map(toShellWord).join(' ')}`
  const printed = execFileSync('sh', ['-c', script]).toString().split('\0').slice(0, -1)
  expect(printed).toEqual(words.map((text) => Buffer.from(text).toString()))
})

const HOSTILE = 'Opened project x\nrm -rf ~\u2028alert(1)\u202E'

test.each(LANGUAGES)('a sentence stays in its comment in %s', (language) => {
  const action: RecordedAction = {
    id: 1,
    kind: 'command',
    sentence: HOSTILE,
    command: { type: 'reset' },
    clocks: null,
    world: 'default',
    origin: null,
  }
  const lines = testCodeOf(language, [action], PLACE).split(/[\n\r\u2028\u2029]/)
  const naming = lines.filter((line) => /rm -rf|alert/.test(line))
  expect(naming).toHaveLength(1)
  expect(naming[0]?.trim()).toMatch(/^(?:#|\/\/) Opened project x rm -rf ~ alert\(1\) \.$/)
})

test('the test in TypeScript holds, on any day', async () => {
  const code = testCodeOf('typescript', ACTIONS, PLACE)
  await runConsoleTest(code, createSandbox)
  const broken = code.replaceAll(/\b401\b/g, '200')
  await expect(runConsoleTest(broken, createSandbox)).rejects.toThrow('401')
})

test.each<[CodeLanguage, string[]]>([
  [
    'typescript',
    [
      "import { expect, test } from 'vitest'",
      "  const sandbox = await createSandbox({ now: '2026-03-31T23:59:00.000Z', frozen: true })",
      "  await sandbox.clock.advance('P1D')",
      '  await sandbox.reports.complete({ project: 101, report_number: 4 })',
      "  await sandbox.command({ type: 'fault.remove', id: 1 })",
    ],
  ],
  [
    'python',
    [
      '    world = json.load(send("/_sandbox/worlds", body={ "now": "2026-03-31T23:59:00.000Z", "frozen": True }))',
      '    assert send(commands, body={ "type": "clock.advance", "by": "P1D" }).status == 200',
      '    assert send("/api/v1/me", "sandbox-agency" + suffix).status == 503',
    ],
  ],
  [
    'curl',
    [
      `curl -fsS "http://127.0.0.1:4010/_sandbox/commands?world=$id" -d '{"type":"clock.advance","by":"P1D"}'`,
      `test "$(curl -s -o /dev/null -w '%{http_code}' -H 'Authorization: Bearer sandbox-agency'"$suffix" http://127.0.0.1:4010/api/v1/me)" = 503`,
    ],
  ],
])('commands and requests are lines of a test in %s', (language, expected) => {
  const lines = testCodeOf(language, ACTIONS, PLACE).split('\n')
  for (const line of expected) expect(lines).toContain(line)
})

/** Builds the origin of a world, created at the time of the first action unless `changes` says otherwise. */
function anOrigin(changes: Partial<WorldOrigin>): WorldOrigin {
  return {
    options: {},
    policies: {},
    shared: {},
    fixtures: [],
    loaded_at: '2026-03-31T23:59:00.000000Z',
    restored: false,
    changes: 0,
    ...changes,
  }
}

function write(language: CodeLanguage, origin: WorldOrigin | null, world = 'default'): string {
  const actions = ACTIONS.map((action) => ({ ...action, origin }))
  return testCodeOf(language, actions, { ...PLACE, world })
}

test('the world on the screen is written, in the names of the library and of the control API', () => {
  const origin = anOrigin({
    options: { demo: true, locale: 'de', seed: '7', rate_limit: { per_minute: 5, per_hour: 9 } },
    shared: { latency: '1-3', show_gaps: true },
  })
  const code = write('typescript', origin)
  expect(code).toContain(`  const sandbox = await createSandbox({
    demo: true,
    locale: 'de',
    seed: '7',
    rateLimit: { per_minute: 5, per_hour: 9 },
    latency: '1-3',
    showGaps: true,
    now: '2026-03-31T23:59:00.000Z',
    frozen: true,
  })`)
  // The latency is the first fault.
  expect(code).toContain("{ type: 'fault.remove', id: 2 }")
  expect(code).not.toContain('clock.set')
  for (const language of ['python', 'curl'] as const) {
    const sent = write(language, origin)
    expect(sent).toMatch(/"rate_limit": ?\{ ?"per_minute": ?5/)
    // The server sets these for all of its worlds, so the options of one world cannot.
    expect(sent).not.toMatch(/latency|show_gaps/)
  }
})

test.each([
  ['typescript', "  await sandbox.clock.set('2026-03-31T23:59:00.000Z')"],
  ['python', '{ "type": "clock.set", "now": "2026-03-31T23:59:00.000Z" }'],
  ['curl', '{"type":"clock.set","now":"2026-03-31T23:59:00.000Z"}'],
] as const)(
  'a world is loaded when it was, and its clock is set to the first step, in %s',
  (language, set) => {
    const code = write(language, anOrigin({ loaded_at: '2026-03-15T12:00:00.000000Z' }))
    expect(code).toContain('2026-03-15T12:00:00.000Z')
    expect(code).toContain(set)
  },
)

test('fixtures are loaded by the names of their files', () => {
  const code = write('typescript', anOrigin({ fixtures: ['a.yaml', "b'c.yaml"] }))
  expect(code).toContain("import { loadFixtures } from 'seo-sandbox/server'\n")
  expect(code).toContain(String.raw`  const fixtures = await loadFixtures('a.yaml', 'b\'c.yaml')`)
  expect(code).toContain(
    "createSandbox({ fixtures, now: '2026-03-31T23:59:00.000Z', frozen: true })",
  )
})

test('a test says what of its world is not in it', () => {
  const unknown = anOrigin({ fixtures: null })
  expect(write('typescript', unknown)).toContain('Add the fixtures of the server')
  expect(write('typescript', null)).toContain('Add the fixtures of the server')
  expect(write('curl', unknown)).toContain('The world as the server loads it.')
  expect(write('curl', unknown, 'w1')).toContain('Add the fixtures of w1')
  const changed = write('python', anOrigin({ changes: 3, restored: true }))
  expect(changed).toContain('does not repeat earlier changes of it (3)')
  expect(changed).toContain('restored from a snapshot')
  for (const language of LANGUAGES) {
    expect(testCodeOf(language, ACTIONS, { ...PLACE, hasClient: true })).toContain(
      'Your client has sent',
    )
    expect(testCodeOf(language, ACTIONS, PLACE)).not.toContain('Your client has sent')
  }
})

test.each(LANGUAGES)('a token of an isolated world is that of its fixture in %s', (language) => {
  const action: RecordedAction = {
    id: 1,
    kind: 'request',
    sentence: 'Asked who the token is',
    request: { path: '/api/v1/me', token: 'sandbox-agency~w3-0123456789abcdef' },
    status: 200,
    clocks: null,
    world: 'w3',
    origin: null,
  }
  const code = testCodeOf(language, [action], { ...PLACE, world: 'w3' })
  expect(code).toContain('sandbox-agency')
  expect(code).not.toContain('~w3')
})

test.each<[CodeLanguage, string]>([
  ['python', 'os.environ["SEO_SANDBOX_ADMIN_KEY"]'],
  ['curl', '$SEO_SANDBOX_ADMIN_KEY'],
])('%s reads the admin key from the environment', (language, key) => {
  expect(testCodeOf(language, ACTIONS, { ...PLACE, needsKey: true })).toContain(key)
})

test.each([
  ['it’s 5 $', "'it’s 5 $'"],
  [String.raw`a 'quoted' \n`, String.raw`'a \'quoted\' \\n'`],
  ['a\n"$b" \u202Eé', String.raw`"a\u{a}\"\$b\" \u{202e}\u{e9}"`],
])('%j is a text of PHP', (text, code) => {
  expect(toPhpString(text)).toBe(code)
})

test.each<[RequestLanguage, string]>([
  ['curl', "curl -i -H 'Authorization: Bearer t' -H 'accept: text/html' 'http://h/api/v1/me?a=1'"],
  [
    'typescript',
    "const response = await fetch('http://h/api/v1/me?a=1', { headers: { authorization: 'Bearer t', accept: 'text/html' } })",
  ],
  ['php', "    'header' => ['Authorization: Bearer t', 'accept: text/html'],"],
  [
    'python',
    'request = urllib.request.Request("http://h/api/v1/me?a=1", headers={ "Authorization": "Bearer t", "accept": "text/html" })',
  ],
])('a request is copied as %s', (language, line) => {
  const request = { path: '/api/v1/me?a=1', token: 't', headers: { accept: 'text/html' } }
  expect(requestCode(language, request, 'http://h').split('\n')).toContain(line)
})

test.each<[RequestLanguage, string]>([
  ['curl', 'curl -i -I http://h/api/v1/me'],
  ['typescript', "const response = await fetch('http://h/api/v1/me', { method: 'HEAD' })"],
  ['php', "    'method' => 'HEAD',"],
  ['python', 'request = urllib.request.Request("http://h/api/v1/me", method="HEAD")'],
])('the method of a request is copied as %s', (language, line) => {
  const request = { method: 'HEAD', path: '/api/v1/me' } as const
  expect(requestCode(language, request, 'http://h').split('\n')).toContain(line)
})

test('a request that met a fault stands right after the step that armed it, in the world of that step, or nowhere', () => {
  const step = {
    kind: 'request',
    request: { path: '/api/v1/me' },
    status: 200,
    clocks: null,
  } as const
  const actions: RecordedAction[] = [1, 2].map((id) => {
    return { ...step, id, sentence: `Step ${id}`, world: 'w1', origin: null }
  })
  const faulted = { ...step, id: 3, sentence: 'Met', faultStep: 1 }
  const all = withFaultedRequest(actions, faulted)
  expect(all.map(({ id, world }) => [id, world])).toEqual([1, 3, 2].map((id) => [id, 'w1']))
  expect(withFaultedRequest(all, { ...faulted, id: 4 }).map(({ id }) => id)).toEqual([1, 4, 2])
  expect(withFaultedRequest(actions.slice(1), faulted)).toEqual(actions.slice(1))
})
