import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { memoize } from '../../src/contract/cache.ts'
import { modulesOfFile } from '../support/dist.ts'

/** The modules that the built package loads when users import it, measured in one process per case. */

/** The packages that `seo-sandbox` loads; each may load its own dependencies. Zod is loaded by the first validation. */
const CORE = ['ipaddr.js', 'leven']
const SERVER = [...CORE, 'proxy-addr', '@noble/hashes/hmac.js']

const UNWANTED = ['@msw/data', 'commander', 'msw', 'yaml', 'cors', '@peculiar/asn1-x509']

const CREATE = "const { createSandbox } = await import('seo-sandbox')"
const ANSWER = "await (await sandbox.fetch('/api/v1/projects')).text()"
const START = "const { startServer } = await import('seo-sandbox/server')"
const ASK = 'const ask = async (path) => (await fetch(server.url + path)).text()'

describe.concurrent('the packages loaded by', () => {
  test.for<[title: string, code: string, expected: string[]]>([
    ['seo-sandbox', "import 'seo-sandbox'", CORE],
    [
      'a default sandbox that serves a request',
      `${CREATE}; const sandbox = await createSandbox(); ${ANSWER}`,
      CORE,
    ],
    [
      'a sandbox whose requests are filtered and verified, and a report explained',
      `${CREATE}; const sandbox = await createSandbox(); ${ANSWER}
       sandbox.requests.matching({ route: '/projects', status: '2xx' })
       sandbox.requests.verify({ requests: { token: 'Sandbox agency' }, never: true })
       sandbox.explain(101, { at: '2026-04-01' }); await sandbox.snapshot()`,
      CORE,
    ],
    [
      'a sandbox with a report that is changed',
      `${CREATE}; const sandbox = await createSandbox()
       await sandbox.reports.set({ project: 101, report_number: 1 }, { sent: true }); ${ANSWER}`,
      [...CORE, 'zod'],
    ],
    [
      'a sandbox with an object as its fixture',
      `${CREATE}; await createSandbox({ fixtures: { version: 1 } })`,
      [...CORE, 'zod'],
    ],
    [
      'a sandbox with a YAML string as its fixture',
      `${CREATE}; await createSandbox({ fixtures: 'version: 1' })`,
      [...CORE, 'zod', 'yaml'],
    ],
    [
      'a sandbox with a generated world',
      `${CREATE}; await createSandbox({ generate: { projects: 1 } })`,
      [...CORE, 'zod'],
    ],
    [
      'the demo, and a scenario',
      `${CREATE}; await createSandbox({ demo: true }); await createSandbox({ scenario: 'all-null' })`,
      [...CORE, 'zod'],
    ],
    ['seo-sandbox/server', "import 'seo-sandbox/server'", SERVER],
    [
      'a server with a request to the control API',
      `${START}; const server = await startServer({ port: 0 }); ${ASK}
       await ask('/_sandbox/health'); await server.close()`,
      [...SERVER, 'zod'],
    ],
    [
      'a server for pages of other origins',
      `${START}; const server = await startServer({ port: 0, cors: '*' }); await server.close()`,
      [...SERVER, 'cors'],
    ],
    [
      'a server with HTTPS',
      `${START}; const server = await startServer({ port: 0, https: true }); await server.close()`,
      [...SERVER, '@peculiar/asn1-schema', '@peculiar/asn1-x509'],
    ],
    ['seo-sandbox/data', "import 'seo-sandbox/data'", ['zod', 'ipaddr.js', '@msw/data']],
    ['seo-sandbox/msw', "import 'seo-sandbox/msw'", ['leven', 'msw']],
  ])('%s', async ([, code, expected]) => {
    const loaded = await packagesOf(code)
    const needed = await packagesNeededBy(importsOf(expected))
    expect(loaded).toEqual(needed)
    const unwanted = UNWANTED.filter((name) => !expected.includes(name))
    expect(loaded.filter((name) => unwanted.includes(name))).toEqual([])
  })
})

test(
  'a server that serves the API loads four packages, and nothing of the control API, OpenAPI, pages or generation',
  { tags: ['core'] },
  async () => {
    const loaded = await modulesOf(
      `${START}; const server = await startServer({ port: 0 }); ${ASK}
     await ask('/api/v1/me'); await ask('/api/v1/projects'); await ask('/'); await server.close()`,
    )
    expect(packagesIn(loaded)).toEqual(await packagesNeededBy(importsOf(SERVER)))
    const own = loaded.flatMap((module) => /.*\bbuild\/(.*)\.js$/.exec(module)?.[1] ?? [])
    expect(own).toContain('engine/engine')
    const late =
      /^server\/(control-handler|report-pages|https|certificate)$|^report-pages\/(?!page-links$)|^control-api\/(?!prefix$)|openapi|^records\/generation\/(?!(?:generate|locales)$)/
    expect(own.filter((name) => late.test(name))).toEqual([])
  },
)

const MOVING = `const world = (mode) => ({ version: 1, progress: { mode }, agencies: [{ id: 1, name: 'North' }],
  languages: [{ id: 1, label: 'German' }, { id: 2, label: 'Swedish' }],
  projects: [{ id: 1, agency: 1, name: 'Shoes', status: 'active', created_at: 'now', text_language: 1,
    reports: [{ id: 1, report_number: 1, status: 'running', created_at: 'now' }] }] })`

test.each<[title: string, code: string, locales: string[]]>([
  [
    'a report that is set',
    "await sandbox.reports.set({ project: 101, report_number: 4 }, { status: 'completed' })",
    [],
  ],
  [
    'a report of a Danish project that is completed',
    'await sandbox.reports.complete({ project: 101, report_number: 4 })',
    ['da'],
  ],
  [
    'a fixture whose German report progresses',
    `${MOVING}; await createSandbox({ fixtures: world('time') })`,
    ['de'],
  ],
  [
    'the same by commands alone',
    `${MOVING}; await createSandbox({ fixtures: world('manual') })`,
    [],
  ],
])('for %s the texts of its language are loaded, and no others', async (_, code, locales) => {
  const loaded = await modulesOf(`${CREATE}; const sandbox = await createSandbox(); ${code}`)
  const texts = loaded.flatMap(
    (module) => /generation\/languages\/(\w\w)\.js$/.exec(module)?.[1] ?? [],
  )
  expect(texts).toEqual(locales)
})

/** Many cases expect the same packages, and each look-up is a process. */
const packagesNeededBy = memoize(packagesOf)

/** The packages that a process loads when it runs this code inside ours. */
async function packagesOf(code: string): Promise<string[]> {
  return packagesIn(await modulesOf(code))
}

function packagesIn(modules: readonly string[]): string[] {
  const names = modules.flatMap((module) => packageOf(module) ?? [])
  return [...new Set(names)].toSorted()
}

/** Code that loads these packages. */
function importsOf(packages: readonly string[]): string {
  return packages.map((name) => `import '${name}'`).join('\n')
}

/** The modules that such a process loads, bundled or not. */
async function modulesOf(code: string): Promise<string[]> {
  const scripts = await scriptsOf(code)
  return scripts.flatMap((url) =>
    url.startsWith('file:') ? modulesOfFile(fileURLToPath(url)) : [url],
  )
}

/** The scripts that such a process loads, taken from V8's coverage. */
async function scriptsOf(code: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'seo-sandbox-imports-'))
  try {
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      env: { ...process.env, NODE_V8_COVERAGE: folder },
    })
    const reports = await Promise.all(
      (await readdir(folder)).map((file) => readReport(folder, file)),
    )
    return reports.flatMap(({ result }) => result.map(({ url }) => url))
  } finally {
    await rm(folder, { recursive: true })
  }
}

interface CoverageReport {
  result: { url: string }[]
}

async function readReport(folder: string, file: string): Promise<CoverageReport> {
  return JSON.parse(await readFile(join(folder, file), 'utf8')) as CoverageReport
}

/** The package of a module; undefined for our own and Node's. */
function packageOf(module: string): string | undefined {
  return /.*\bnode_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(module)?.[1]
}
