import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

/** Allowed imports of each folder of src: folders, packages, and `node:` for all of Node. The entry files are `.`. */
const ALLOWED: Record<string, string[]> = {
  contract: ['zod', 'ipaddr.js', 'leven'],
  drawing: [],
  records: ['contract', 'zod'],
  fixtures: ['contract', 'records', 'zod', 'yaml'],
  engine: ['contract'],
  journal: ['contract', 'records', 'engine', 'zod'],
  world: ['contract', 'records', 'fixtures', 'engine', 'journal', 'zod'],
  session: ['contract', 'records', 'fixtures', 'engine', 'journal', 'world', 'zod'],
  review: ['contract', 'engine', 'journal', 'world', 'session', 'drawing', 'zod'],
  rehearsal: ['contract', 'records', 'journal', 'world', 'review'],
  store: [
    'contract',
    'review',
    'records',
    'fixtures',
    'engine',
    'journal',
    'world',
    'session',
    'zod',
    'redis',
    'node:',
  ],
  // Texts of explanations, requests and faults, for the console and the terminal: types alone.
  wording: ['contract', 'journal', 'world'],
  share: ['contract', 'records', 'fixtures', 'session', 'world', 'zod'],
  'control-api': ['contract', 'fixtures', 'journal', 'world', 'session', 'review', 'zod'],
  sandbox: [
    'contract',
    'records',
    'fixtures',
    'engine',
    'journal',
    'world',
    'session',
    'review',
    'rehearsal',
    'zod',
  ],
  'report-pages': ['contract', 'drawing', 'engine', 'world', '@noble/hashes'],
  tab: [
    'contract',
    'fixtures',
    'world',
    'control-api',
    'report-pages',
    'sandbox',
    'session',
    'share',
    'idb-keyval',
  ],
  adapters: ['contract', 'engine', 'journal', 'world', 'sandbox'],
  server: [
    'contract',
    'engine',
    'fixtures',
    'world',
    'control-api',
    'store',
    'sandbox',
    'report-pages',
    'adapters',
    'zod',
    'node:',
  ],
  testing: [
    'contract',
    'records',
    'journal',
    'world',
    'session',
    'review',
    'rehearsal',
    'sandbox',
    'server',
  ],
  // Only types from `contract`, `journal`, `review` and `world`.
  console: [
    'contract',
    'journal',
    'review',
    'world',
    'drawing',
    'tab',
    'wording',
    'preact',
    'preact-iso',
    'lucide',
    '@preact/signals',
  ],
  compare: [
    'contract',
    'records',
    'drawing',
    'fixtures',
    'engine',
    'world',
    'sandbox',
    'server',
    'zod',
    'node:',
  ],
  cli: [
    'contract',
    'compare',
    'records',
    'fixtures',
    'engine',
    'journal',
    'review',
    'rehearsal',
    'session',
    'world',
    'wording',
    'store',
    'sandbox',
    'adapters',
    'server',
    'tab',
    'zod',
    'commander',
    'picocolors',
    'node:',
  ],
  '.': [
    'contract',
    'fixtures',
    'engine',
    'journal',
    'world',
    'session',
    'review',
    'sandbox',
    'adapters',
    'server',
    'testing',
  ],
}

/** Additional imports of single files: one framework or one side effect each. */
const EXCEPTIONS: Record<string, string[]> = {
  'fixtures/load-fixtures.ts': ['node:'],
  'adapters/fail-with.ts': ['node:'],
  'adapters/msw.ts': ['msw'],
  'adapters/node.ts': ['node:'],
  'adapters/node-request.ts': ['proxy-addr', 'node:'],
  'adapters/response-order.ts': ['node:'],
  'adapters/user-handlers.ts': ['msw', '@remix-run/node-fetch-server', 'node:'],
  'server.ts': ['store'],
  // The permissions that a host gives a partner, as plain data.
  'share/require-allowed.ts': ['store'],
  'server/certificate.ts': ['@peculiar/asn1-schema', '@peculiar/asn1-x509'],
  'server/layers.ts': ['cors'],
  'server/metrics.ts': ['prom-client'],
  'console/vite.config.ts': ['vite', 'node:'],
  'testing/collections.ts': ['@msw/data'],
  'testing/vitest.ts': ['vitest'],
  'testing/rehearse/client-clock.ts': ['@sinonjs/fake-timers', 'node:'],
  'testing/rehearse/drive.ts': ['node:'],
  'testing/rehearse/requests-under-way.ts': ['node:'],
  'cli/exec/start-command.ts': ['tinyexec'],
  'cli/watch.ts': ['chokidar'],
  // The code that these files write imports these packages.
  'console/code/typescript.ts': ['seo-sandbox', 'vitest'],
  'cli/starter-files.ts': ['seo-sandbox', 'vitest', 'bun:test', '@playwright/test'],
}

const SRC = resolve(import.meta.dirname, '../src')
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => file.replaceAll('\\', '/'))

test.each(files)('src/%s imports only what its folder may', (file) => {
  const folder = folderOf(file)
  const allowed = [folder, ...(ALLOWED[folder] ?? []), ...(EXCEPTIONS[file] ?? [])]
  const forbidden = importsOf(file).filter((target) => !allowed.includes(target))
  expect(forbidden).toEqual([])
})

test.each(
  files.filter((file) =>
    /^(contract|records|engine|journal|world|session|review|control-api)\//.test(file),
  ),
)('src/%s reads no clock and no randomness: they come in from outside', (file) => {
  const text = readFileSync(join(SRC, file), 'utf8')
  expect(text).not.toMatch(/\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bperformance\./)
})

test.each(files.filter((file) => file.startsWith('contract/')))(
  'src/%s has no state at module level',
  (file) => {
    const text = readFileSync(join(SRC, file), 'utf8')
    expect(text).not.toMatch(/^(export )?(let|var) /m)
    expect(text).not.toMatch(
      /^(export )?const .*= (new (Cache|WeakMap)|new (Map|Set)\(\)|memoize)/m,
    )
  },
)

test('no file of src is in a cycle of imports, those of types included', () => {
  const graph = new Map(files.map((file) => [file, relativeImportsOf(file)]))
  expect(findCycle(graph)).toEqual([])
})

test('no folder of src is in a cycle of imports', () => {
  const graph = new Map<string, string[]>()
  for (const file of files) {
    const targets = relativeImportsOf(file).map(folderOf)
    const others = targets.filter((target) => target !== folderOf(file))
    graph.set(folderOf(file), [...(graph.get(folderOf(file)) ?? []), ...others])
  }
  expect(findCycle(graph)).toEqual([])
})

test('nothing imports an entry file', () => {
  const imported = files.flatMap(relativeImportsOf)
  expect(imported.filter((file) => folderOf(file) === '.')).toEqual([])
})

test.each(files.filter((file) => /^(?:console|wording)\//.test(file)))(
  'src/%s has only types of the rooms that are not for browsers',
  (file) => {
    const text = readFileSync(join(SRC, file), 'utf8')
    const statements = text.matchAll(/^(?:import|export) (?!type\b)[^;]*? from '([^']+)'/gm)
    const values = [...statements].map(([, specifier = '']) => specifier)
    const rooms = values
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => resolveFrom(file, specifier))
      // Two pure modules are allowed: the only way to parse a URL, and the list of countries.
      .filter((imported) => imported !== 'contract/url.ts')
      .map(folderOf)
    expect(
      rooms.filter((room) => !['console', 'drawing', 'tab', 'wording'].includes(room)),
    ).toEqual([])
  },
)

test('nothing imports the console, which is a page of its own', () => {
  const importing = files.filter((file) => folderOf(file) !== 'console')
  expect(importing.filter((file) => importsOf(file).includes('console'))).toEqual([])
})

/** Imports of benchmarks and soaks, which are no part of `npm test` and use the code built from src. */
const BUILT = readdirSync(join(SRC, '../test'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /^(bench|soak)\/.*\.js$/.test(file) && !file.includes('node_modules'))
  .flatMap((file) =>
    [
      ...readFileSync(join(SRC, '../test', file), 'utf8').matchAll(
        /\{([^{}]+)\}\s*(?:from|= await import\()\s*'(?:\.\.\/)+build\/([^']+)\.js'/g,
      ),
    ].map(([, names = '', module = '']) => [file, module, names] as const),
  )

test.each(BUILT)('test/%s imports what src/%s.ts exports', (_, module, names) => {
  const text = readFileSync(join(SRC, `${module}.ts`), 'utf8')
  for (const name of names.split(',').flatMap((one) => /\w+/.exec(one) ?? [])) {
    expect(text).toMatch(new RegExp(String.raw`^export (?:.*[\s{])?${name}\b`, 'm'))
  }
})

test('only the collections for tests know @msw/data', () => {
  const knowing = files.filter((file) => importsOf(file).includes('@msw/data'))
  expect(knowing).toEqual(['testing/collections.ts'])
})

test.each(['index.ts', 'msw.ts', 'server.ts', 'matchers.ts', 'vitest.ts', 'cli/main.ts'])(
  '%s loads no collections of @msw/data',
  (entry) => {
    expect(reach(entry)).not.toContain('testing/collections.ts')
  },
)

test('the browser-safe entry reaches no file that imports Node, Express, commander or cors', () => {
  const reached = reach('index.ts')
  const packages = new Set(reached.flatMap(importsOf))
  for (const name of ['node:', 'express', 'commander', 'cors', 'proxy-addr', 'picocolors', 'msw']) {
    expect(packages).not.toContain(name)
  }
  expect(reached).toContain('engine/engine.ts')
})

/** The folder of src that contains a file; `.` for the top level. */
function folderOf(file: string): string {
  return file.includes('/') ? (file.split('/')[0] ?? '.') : '.'
}

function specifiersOf(file: string): string[] {
  // This file contains the texts of other programs.
  if (file === 'cli/starter-files.ts') return []
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

/** The package of a specifier, such as `@msw/data` for `@msw/data/extensions/persist`. */
function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

function resolveFrom(file: string, specifier: string): string {
  return relative(SRC, join(SRC, dirname(file), specifier)).replaceAll('\\', '/')
}

function relativeImportsOf(file: string): string[] {
  return specifiersOf(file)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => resolveFrom(file, specifier))
}

function reach(start: string): string[] {
  const reached = new Set([start])
  for (const file of reached) {
    for (const target of relativeImportsOf(file)) reached.add(target)
  }
  return [...reached]
}

/** Finds the nodes of a cycle, in order; empty without one. */
function findCycle(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>()
  const visit = (node: string, path: readonly string[]): string[] => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node]
    if (done.has(node)) return []
    for (const next of graph.get(node) ?? []) {
      const cycle = visit(next, [...path, node])
      if (cycle.length > 0) return cycle
    }
    done.add(node)
    return []
  }
  for (const node of graph.keys()) {
    const cycle = visit(node, [])
    if (cycle.length > 0) return cycle
  }
  return []
}
