import { describe, test } from 'vitest'
import { environmentName, SERVE_OPTION_NAMES, SERVE_OPTIONS } from '../../src/cli/serve-options.ts'
import type { ServeOptionName } from '../../src/cli/serve-options.ts'
import { toLogLine } from '../../src/cli/request-log.ts'
import { SCENARIOS } from '../../src/fixtures/scenarios/index.ts'
import { createSandbox, VERSION } from '../../src/index.ts'
import type { FlagText } from '../../src/world/options/table.ts'
import { aFolder, runCli } from '../support/cli.ts'
import type { Outcome } from '../support/cli.ts'
import { CONFIG } from '../support/serve-program.ts'

/** Refusals of `seo-sandbox serve`; `npm run test:processes` covers its output and the effects of its options. */

describe('the log never has a bearer value', () => {
  const tokens = ['secret', 'secret-of-many-words', 'a/b+c=d', '100%'].map((token, index) => ({
    id: index + 1,
    name: `Token ${index + 1}`,
    token,
  }))

  test.for([
    { query: 'token=secret', logged: 'token=[token 1]' },
    { query: 'token=secret&again=secret', logged: 'token=[token 1]&again=[token 1]' },
    { query: 'token=%73%65cret', logged: 'token=[token 1]' },
    { query: 'token=a%2Fb%2Bc%3Dd', logged: 'token=[token 3]' },
    { query: 'token=a%2fb%2bc=d', logged: 'token=[token 3]' },
    { query: 'token=100%25', logged: 'token=[token 4]' },
    { query: 'token=secret-of-many-words', logged: 'token=[token 2]' },
    { query: 'search=fresh&per_page=9', logged: 'search=fresh&per_page=9' },
    { query: 'search=%', logged: 'search=%' },
    { query: 'search=%0A%1B', logged: 'search=%0A%1B' },
    { query: 'search=\u001B[31m', logged: String.raw`search=\u001b[31m` },
    { query: 'search=\u202Edrawkcab', logged: String.raw`search=\u202edrawkcab` },
  ])('?$query is logged as ?$logged', async ({ query, logged }, { expect }) => {
    const sandbox = await createSandbox({ fixtures: { version: 1, tokens } })
    const request = {
      method: 'GET',
      path: '/api/v1/me',
      query,
      header: () => 'Bearer secret',
      clientIp: '127.0.0.1',
      origin: 'http://localhost',
    }
    expect(toLogLine(request, sandbox.answer(request), { world: sandbox.world })).toEqual({
      method: 'GET',
      target: `/api/v1/me?${logged}`,
      status: 200,
      token: 'Token 1',
    })
  })
})

test('scenarios lists them, with their purposes', async ({ expect }) => {
  const { code, stdout } = await runCli(['scenarios'], { cwd: '.' })
  expect(code).toBe(0)
  const lines = stdout.trimEnd().split('\n')
  const index = Object.entries(SCENARIOS)
  expect(lines.map((line) => line.split(/ {2,}/))).toEqual(
    index.map(([name, { purpose }]) => [name, purpose]),
  )
})

/** Values that an option refuses in a flag or the environment, and the required part of the message. */
const REFUSED: Record<ServeOptionName, { values: string[]; says: string }> = {
  port: { values: ['x', '65536', '-1', '1.5'], says: ' is not a port: use 0 to 65535' },
  host: {
    values: ['a b', 'http://127.0.0.1'],
    says: ' is not an address or a host name: use one like',
  },
  fixtures: { values: [',', 'a.yaml,,b.yaml'], says: ' is not a list of paths: use one or more' },
  scenario: { values: ['late-finishr'], says: 'Did you mean "late-finisher"?' },
  demo: { values: ['maybe'], says: ' is not true or false: use one of the two.' },
  projects: {
    values: ['-1', '1e9', '1.5', 'many'],
    says: ' is not a number of projects: use 0 to 200000.',
  },
  locale: { values: ['ja'], says: ' is not a locale: use one or several of de_AT, ' },
  seed: { values: [], says: '' },
  now: { values: ['tomorrow', '2026-02-30'], says: '2026-03-15T12:00:00Z' },
  frozen: { values: ['maybe'], says: ' is not true or false: use one of the two.' },
  policy: { values: ['foreign-project=402', 'foreign-project'], says: 'Use one of: 403, 404.' },
  'rate-limit': {
    values: ['5', '0/min', '60/sec', '-1/h'],
    says: ' is not a rate limit: use 60/min,1000/h',
  },
  latency: {
    values: ['fast', '-1', '9-5', '600001', '1e3'],
    says: ' is not a latency: use milliseconds like 200',
  },
  'show-gaps': { values: ['maybe'], says: ' is not true or false: use one of the two.' },
  journal: {
    values: ['0', '100001', 'many', '-1'],
    says: ' is not a number of requests: use 1 to 100000.',
  },
  https: { values: ['maybe'], says: ' is not true or false: use one of the two.' },
  'https-cert': { values: [], says: '' },
  'https-key': { values: [], says: '' },
  policies: { values: [], says: '' },
  'trust-proxy': { values: ['x', '-1', '101'], says: ' is not a number of proxies: use 0 to 100.' },
  'public-url': {
    values: [
      'seo.example.com',
      'ftp://seo.example.com',
      'https://seo.example.com/?a=1',
      'https://',
    ],
    says: ' is not the URL of a server: use one like https://seo.example.com, without a query',
  },
  cors: {
    values: ['app.example.com', 'https://a.example.com/path'],
    says: ' is not an origin: use one like https://app.example.com',
  },
  'admin-key': { values: ['short', 'fifteen-letters'], says: 'at least 16' },
  'no-control': { values: ['maybe'], says: ' is not true or false: use one of the two.' },
  metrics: { values: ['maybe'], says: ' is not true or false: use one of the two.' },
  'no-console': { values: ['maybe'], says: ' is not true or false: use one of the two.' },
  handlers: {
    values: ['overrides.yaml', 'overrides'],
    says: ' is not the path of a module: use one like overrides.mjs.',
  },
  snapshot: { values: [], says: '' },
  state: {
    values: ['state.yaml', 'state'],
    says: ' is not the path of a state file: use one that ends in .json',
  },
  store: {
    values: [
      'localhost:6380',
      'http://:secret@localhost:6380',
      'redis:/localhost',
      'redis://127.0.0.1/notadb',
      'redis://127.0.0.1/1/2',
      'redis://127.0.0.1/-1',
      'redis://127.0.0.1?db',
      'redis://127.0.0.1#1',
      'redis://:%zz@127.0.0.1',
      'redis://:%ff@127.0.0.1/1',
      'redis://127.0.0.1:99999',
      'redis:///0',
    ],
    says: 'This is not the address of a store: use one like redis://127.0.0.1:6379',
  },
  limits: {
    values: ['requests=0', 'faults=many', 'records=1e9', 'streams'],
    says: ' is not a number of ',
  },
  watch: { values: ['maybe'], says: ' is not true or false: use one of the two.' },
  'stdin-close': { values: ['maybe'], says: ' is not true or false: use one of the two.' },
  json: { values: ['maybe'], says: ' is not true or false: use one of the two.' },
  quiet: { values: ['maybe'], says: ' is not true or false: use one of the two.' },
}

/** Each refused value in a flag, and the first one from every source. */
const refused = Object.entries(REFUSED).flatMap(([key, { values, says }]) => {
  const name = key as ServeOptionName
  const hasFlag = 'value' in SERVE_OPTIONS[name]
  return values.flatMap((value, index) => {
    const flag =
      hasFlag && !value.includes(',')
        ? [{ place: `--${name}: `, value, says, line: { args: [`--${name}=${value}`] } }]
        : []
    if (index > 0 && flag.length > 0) return flag
    return [
      ...flag,
      {
        place: environmentName(name),
        value,
        says,
        line: { env: { [environmentName(name)]: value } },
      },
      {
        place: `${CONFIG}:2:`,
        value,
        says,
        line: { config: `# options\n${name}: ${JSON.stringify(value)}\n` },
      },
    ]
  })
})

const mistakes: { title: string; line: Attempt; lines: (string | RegExp)[] }[] = [
  {
    title: 'an unknown policy: the nearest one is suggested',
    line: { args: ['--policy', 'foreign-projct=403'] },
    lines: [/^error --policy: .*"foreign-projct" is not a policy\..*"foreign-project"/],
  },
  {
    title: 'an unknown key of the config file: the nearest one is suggested, with the location',
    line: { config: 'frozen: true\n\n  \nprot: 4010\n' },
    lines: [`error ${CONFIG}:4:1: "prot" is not an option. Did you mean "port"?`],
  },
  {
    title: 'a policy of the config file: the location is its own line',
    line: { config: 'policy:\n  missing-token: 401\n  foreign-project: 402\n' },
    lines: [/^error seo-sandbox\.config\.yaml:3:\d+ .*"402" is not an option/],
  },
  {
    title: 'a duplicate key in the config file',
    line: { config: 'port: 1\nport: 2\n' },
    lines: [
      `error ${CONFIG}:2:1`,
      '  This key appears twice in the same map. Keep one of the two.',
    ],
  },
  {
    title: 'a scenario along with other records, each named as it is set',
    line: {
      args: ['--scenario', 'late-finisher'],
      env: { SEO_SANDBOX_PROJECTS: '5' },
      config: '# options\nfixtures: a.yaml\n',
    },
    lines: [
      `error --scenario: A scenario is a whole world. Leave it out, or ${CONFIG}:2:1 fixtures.`,
    ],
  },
  {
    title: 'a misspelt variable is named before anything else that is wrong',
    line: {
      args: ['--port', 'x'],
      env: { SEO_SANDBOX_PROT: '1', SEO_SANDBOX_POLICEY: 'x', SEO_SANDBOX_URL: 'x' },
    },
    lines: [
      'warning SEO_SANDBOX_PROT: There is no such option, so it has no effect. Did you mean SEO_SANDBOX_PORT?',
      'warning SEO_SANDBOX_POLICEY: There is no such option, so it has no effect. Did you mean SEO_SANDBOX_POLICY?',
      'error --port: "x"',
    ],
  },
  {
    title: 'a config file with anchors under x-, whose number is shown as it is written',
    line: { config: 'x-wrong: &wrong 1e5\nport: *wrong\n' },
    lines: [`error ${CONFIG}:2:7 port: 1e5 is not a port: `],
  },
  {
    title: 'a config file whose text is a number without quotes',
    line: { config: 'admin-key: 1234567890123456\n' },
    lines: [`error ${CONFIG}:1:12 admin-key: An admin key is a text. Write it in quotes.`],
  },
  {
    title: 'a config file that is not YAML',
    line: { config: 'port: 1\ncors: [\n' },
    lines: [`error ${CONFIG}:3:1`, /\n {2}This is not valid YAML/],
  },
  {
    title: 'a config file that is a list',
    line: { config: '- port\n' },
    lines: [new RegExp(`^error ${CONFIG}:1:1.* Write a map of options, like port: 4010\\.$`, 'm')],
  },
  {
    title: 'a config file of comments only is ignored: the flag is the error here',
    line: { config: '# port: 1\n', args: ['--port', 'x'] },
    lines: ['error --port: "x"'],
  },
  {
    title: 'a config file with handlers outside its folder',
    line: { config: 'port: 0\nhandlers: ../overrides.mjs\n' },
    lines: [
      `error ${CONFIG}:2:11 handlers: "../overrides.mjs" is outside the folder of this file. Move it into the folder, or name it with --handlers.`,
    ],
  },
  {
    title: 'a config file that is a folder',
    line: { files: { [`${CONFIG}/`]: '' } },
    lines: [`error ${CONFIG}: It cannot be read.`],
  },
  {
    title: 'a module of handlers that is missing',
    line: { args: ['--handlers', 'none.js'] },
    lines: ['error none.js: There is no such file. Check the path.'],
  },
  {
    title: 'a module of handlers that throws',
    line: {
      args: ['--handlers', 'a b.js'],
      files: { 'a b.js': 'throw new Error("not today")' },
    },
    lines: ['error a b.js: It cannot be loaded: not today (a b.js:1:7)'],
  },
  {
    title: 'a module of handlers with a syntax error',
    line: {
      args: ['--handlers', 'a b.mjs'],
      files: { 'a b.mjs': 'export const handlers = [\n  1 +,\n]\n' },
    },
    lines: ["error a b.mjs: It cannot be loaded: Unexpected token ',' (a b.mjs:2)"],
  },
  {
    title: 'a module of handlers that Node takes for CommonJS',
    line: {
      args: ['--handlers', 'a.js'],
      files: { 'a.js': 'import "node:fs"', 'package.json': '{ "type": "commonjs" }' },
    },
    lines: [/\nerror a\.js: .* treats it as CommonJS: rename it to end in \.mjs\.\n$/],
  },
  {
    title: 'a module of handlers whose import is not installed',
    line: {
      args: ['--handlers', 'a.mjs'],
      files: { 'a.mjs': 'import "not-installed"' },
    },
    lines: [/^error a\.mjs: Cannot find package 'not-installed' .* are installed\.\n$/],
  },
  {
    title: 'a module without handlers',
    line: {
      args: ['--handlers', 'a.cjs'],
      files: { 'a.cjs': 'module.exports = { handler: [] }' },
    },
    lines: ['error a.cjs: It exports no list of handlers.'],
  },
  {
    title: 'a module whose handlers are not from MSW',
    line: { args: ['--handlers', 'a.mjs'], files: { 'a.mjs': 'export default [() => {}]' } },
    lines: ['error a.mjs: handlers[0]: This is not a request handler of MSW.'],
  },
  {
    title: 'a certificate without its key',
    line: { args: ['--https-cert', 'cert.pem', '--port', '0'] },
    lines: ['error A certificate needs its private key: name both files, with --https-cert and'],
  },
  {
    title: 'an address that is not of this machine',
    line: { args: ['--host', '203.0.113.1', '--port', '0', '--no-control'] },
    lines: ['error 203.0.113.1 is not an address of this machine.'],
  },
  {
    title: 'an address that others can reach, without an admin key',
    line: { args: ['--host', '0.0.0.0', '--port', '0'] },
    lines: [
      /^error Others can reach 0\.0\.0\.0 [^\n]+ \(SEO_SANDBOX_ADMIN_KEY, or --admin-key\), or [^\n]+ \(--no-control\)\.\n$/,
    ],
  },
]

describe('with exit code 0 it shows', () => {
  test('every option and what it does after serve --help', async ({ expect }) => {
    const { code, stdout, stderr } = await attempt({ args: ['serve', '--help'] })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const help = stdout.replaceAll(/\s+/g, ' ')
    for (const name of SERVE_OPTION_NAMES) {
      const { value, description }: FlagText = SERVE_OPTIONS[name]
      expect(help).toContain(`${value ? ` --${name} ${value}` : ` --${name}`} ${description}`)
    }
  })

  test('its version after --version', async ({ expect }) => {
    const outcome = await attempt({ args: ['--version'] })
    expect(outcome).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: '' })
  })
})

describe('with exit code 2 it says on stderr what is wrong', () => {
  test('every option has values that it refuses', ({ expect }) => {
    expect(Object.keys(REFUSED)).toEqual(SERVE_OPTION_NAMES)
  })

  test.for(refused)(
    '$place $value is refused',
    async ({ place, value, says, line }, { expect }) => {
      const { code, stdout, stderr } = await attempt(line)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toMatch(/^error [^\n]+\.\n$/)
      expect(stderr.startsWith(`error ${place}`)).toBe(true)
      const isSecret = /admin.key|store/i.test(stderr)
      expect(stderr.includes(value.split('=').at(-1) ?? '')).toBe(!isSecret)
      expect(stderr).toContain(says)
    },
  )

  test.for(mistakes)('$title', async ({ lines, line }, { expect }) => {
    const { code, stdout, stderr } = await attempt(line)
    expect(stderr).not.toMatch(/^\s+at |undefined|\[object /m)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    const found = stderr.split('\n')
    for (const [number, text] of lines.entries()) {
      if (typeof text === 'string') expect(found[number]).toContain(text)
      else expect(stderr).toMatch(text)
    }
  })
})

/** A command line that is expected to be refused, in its own folder. */
interface Attempt {
  args?: string[]
  env?: Record<string, string>
  /** The text of `seo-sandbox.config.yaml`. */
  config?: string
  files?: Record<string, string>
}

async function attempt({ args = [], env = {}, config, files = {} }: Attempt): Promise<Outcome> {
  await using folder = await aFolder({
    ...files,
    ...(config !== undefined && { [CONFIG]: config }),
  })
  return await runCli(args, { cwd: folder.path(), env })
}
