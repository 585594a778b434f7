import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

/** Who may import whom: folders of src, packages, and `node:` for all of Node. The top of src is `.`. */
const ALLOWED: Record<string, string[]> = {
  contract: ['zod', 'ipaddr.js', 'leven'],
  engine: ['contract'],
  world: ['contract', '@msw/data'],
  fixtures: ['contract', 'zod', 'yaml'],
  control: ['contract', 'engine', 'world', 'zod', 'version'],
  '.': ['contract', 'engine', 'fixtures', 'control', 'adapters', 'zod', 'version'],
  adapters: ['.', 'contract', 'control', 'engine', 'fixtures', 'node:'],
  cli: [
    '.',
    'version',
    'adapters',
    'contract',
    'engine',
    'fixtures',
    'commander',
    'picocolors',
    'node:',
  ],
}

/** What single files may import on top of that: one framework or one side effect each. */
const EXCEPTIONS: Record<string, string[]> = {
  'fixtures/load-fixtures.ts': ['node:'],
  'world/generate/words.ts': ['@faker-js/faker'],
  'adapters/node.ts': ['proxy-addr'],
  'adapters/express.ts': ['express'],
  'adapters/server.ts': ['cors'],
  'adapters/msw.ts': ['msw'],
  'adapters/user-handlers.ts': ['msw', '@remix-run/node-fetch-server'],
  'adapters/vitest.ts': ['vitest'],
  'cli/watch.ts': ['chokidar'],
  // What it writes imports them.
  'cli/starter-test.ts': [
    'seo-sandbox',
    'seo-sandbox/server',
    'seo-sandbox/vitest',
    'vitest',
    '@playwright/test',
  ],
}

const SRC = resolve(import.meta.dirname, '../src')
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.replaceAll('\\', '/'))

test.each(files)('src/%s imports only what its folder may', (file) => {
  const folder = folderOf(file)
  const allowed = [folder, ...(ALLOWED[folder] ?? []), ...(EXCEPTIONS[file] ?? [])]
  const forbidden = importsOf(file).filter((target) => !allowed.includes(target))
  expect(forbidden).toEqual([])
})

test.each(files.filter((file) => /^(contract|engine|world|control)\//.test(file)))(
  'src/%s reads no clock and no randomness: they come in from outside',
  (file) => {
    const text = readFileSync(join(SRC, file), 'utf8')
    expect(text).not.toMatch(/\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bperformance\./)
  },
)

test('only world/records.ts knows @msw/data', () => {
  const knowing = files.filter((file) => importsOf(file).includes('@msw/data'))
  expect(knowing).toEqual(['world/records.ts'])
})

test('the browser-safe entry reaches no file that imports Node, Express, commander or cors', () => {
  const reached = reach('index.ts')
  const packages = new Set(reached.flatMap(importsOf))
  for (const name of ['node:', 'express', 'commander', 'cors', 'proxy-addr', 'picocolors', 'msw']) {
    expect(packages).not.toContain(name)
  }
  expect(reached).toContain('engine/engine.ts')
})

/** The folder of src that a file is in; `.` for the top, `version` for the constant that anybody may read. */
function folderOf(file: string): string {
  if (file === 'version.ts') return 'version'
  return file.includes('/') ? (file.split('/')[0] ?? '.') : '.'
}

function specifiersOf(file: string): string[] {
  const text = readFileSync(join(SRC, file), 'utf8')
  return [...text.matchAll(/(?:\bfrom |\bimport\(|^import )'([^']+)'/gm)].map(
    ([, specifier]) => specifier ?? '',
  )
}

function importsOf(file: string): string[] {
  return specifiersOf(file).map((specifier) => {
    if (specifier.startsWith('node:')) return 'node:'
    return specifier.startsWith('.') ? folderOf(resolveFrom(file, specifier)) : packageOf(specifier)
  })
}

/** `@faker-js/faker` of `@faker-js/faker/locale/da`. */
function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

function resolveFrom(file: string, specifier: string): string {
  return relative(SRC, join(SRC, dirname(file), specifier)).replaceAll('\\', '/')
}

function reach(start: string): string[] {
  const reached = new Set([start])
  for (const file of reached) {
    for (const specifier of specifiersOf(file)) {
      if (specifier.startsWith('.')) reached.add(resolveFrom(file, specifier))
    }
  }
  return [...reached]
}
