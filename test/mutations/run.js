/**
 * Finds behaviour that no test notices: changes src/engine, src/world and src/records in one small way at a time, in a
 * copy of the project, and lists the changes with which all tests still pass. Each of these survivors wants a test that
 * fails with it, or the deletion of code that nothing needs, or a reason why it changes no behaviour.
 *
 *   node test/mutations/run.js [--seed 1] [--count 100]
 *
 * The mutations are drawn by the seed, and spread over the files in proportion to their code. The same seed and sources
 * give the same ones; one that does not compile is replaced by another. The tests of the mutated folder run first, then all
 * others that import the file, then those of the built command line; those of the README and the recipes never. Tests that
 * take twice as long as all of them did without a mutation count as failed. Properties run a tenth of their cases,
 * unless PROPERTY_DEPTH says otherwise. A hundred mutations take about an hour on two cores.
 */
import { spawn } from 'node:child_process'
import { cp, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { mutationsOf } from './operators.js'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))

/** The mutated folders, with the tests that are the likeliest to notice. */
const FOLDERS = {
  'src/engine': ['test/engine/'],
  'src/world': ['test/world/'],
  'src/records': ['test/records/', 'test/scenarios/', 'test/fixtures/'],
}

/** Texts of generated content, by language: data, not code. */
const DATA = 'src/records/generation/copy/'

/** Tests of what the build writes. */
const OF_BUILD = 'test/cli/'

/** Tests of documents, which need other languages too. */
const OF_DOCUMENTS = ['test/readme.test.ts']

const SURVIVED = 'SURVIVED'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '100' },
  },
})
const count = Number(values.count)
const random = createRandom(Number(values.seed))

const copy = await copyProject()
try {
  await run()
} finally {
  await rm(copy, { recursive: true })
}

async function run() {
  const started = Date.now()
  if (!(await passes(['run']))) throw new Error('The tests fail without any mutation.')
  const limitMs = 2 * (Date.now() - started)

  const mutations = await allMutations()
  const survivors = []
  for (let index = 0; index < count; index += 1) {
    const part = mutations.slice(share(index, mutations), share(index + 1, mutations))
    const { verdict, mutation } = await tryOneOf(part, limitMs)
    print(`${index + 1}/${count} ${verdict} ${mutation?.name ?? ''}`)
    if (verdict === SURVIVED) survivors.push(mutation)
  }

  print(`\n${survivors.length} of ${count} mutations survived.`)
  for (const { name, before, after } of survivors) {
    print(`\n${name}\n  - ${before}\n  + ${after}`)
  }
}

/** Where a part of the mutations begins: there are as many parts as mutations to run. */
function share(index, mutations) {
  return Math.floor((index * mutations.length) / count)
}

/** Draws mutations until one compiles, and runs the tests with that one. */
async function tryOneOf(candidates, limitMs) {
  const remaining = [...candidates]
  while (remaining.length > 0) {
    const [mutation] = remaining.splice(Math.floor(random() * remaining.length), 1)
    const file = join(copy, mutation.file)
    await writeFile(file, mutation.mutated)
    try {
      if (await compiles()) return { mutation, verdict: await verdictOn(mutation.file, limitMs) }
    } finally {
      await writeFile(file, mutation.original)
    }
  }
  return { verdict: 'none compiles' }
}

async function verdictOn(file, limitMs) {
  const [, likely] = Object.entries(FOLDERS).find(([folder]) => file.startsWith(`${folder}/`))
  const others = ['related', '--run', file, ...exclude([...likely, OF_BUILD])]
  const survived =
    (await passes(['run', ...likely], limitMs)) &&
    (await passes(others, limitMs)) &&
    (await passesBuilt(limitMs))
  return survived ? SURVIVED : 'killed'
}

async function passesBuilt(limitMs) {
  try {
    return (await succeeds('npm', ['run', 'build'])) && (await passes(['run', OF_BUILD], limitMs))
  } finally {
    // Other tests compare their results with what was built without a mutation.
    await cp(join(PROJECT, 'dist'), join(copy, 'dist'), { recursive: true })
  }
}

function compiles() {
  const cache = join(copy, 'types.tsbuildinfo')
  const options = ['-p', 'tsconfig.build.json', '--noEmit', '--incremental']
  return succeeds('npx', ['tsc', ...options, '--tsBuildInfoFile', cache])
}

function passes(options, limitMs) {
  const common = ['--bail=1', '--typecheck.enabled=false', '--reporter=dot']
  return succeeds('npx', ['vitest', ...options, ...common, ...exclude(OF_DOCUMENTS)], limitMs)
}

/** @param {string[]} tests files, and folders with a slash at the end */
function exclude(tests) {
  return tests.map((name) => `--exclude=${name.endsWith('/') ? `${name}**` : name}`)
}

/** Whether a command ends well, within the time. */
function succeeds(command, options, limitMs = 0) {
  // In a group of its own, so that workers in an endless loop end with it.
  const child = spawn(command, options, { cwd: copy, stdio: 'ignore', detached: true })
  return new Promise((resolve, reject) => {
    const stop = () => child.pid && process.kill(-child.pid, 'SIGKILL')
    const timer = limitMs > 0 ? setTimeout(stop, limitMs) : undefined
    child.once('error', reject)
    child.once('exit', (code) => {
      clearTimeout(timer)
      resolve(code === 0)
    })
  })
}

async function copyProject() {
  const folder = await mkdtemp(join(tmpdir(), 'mutations-'))
  const entries = (await readdir(PROJECT)).filter(
    (entry) => entry !== '.git' && entry !== 'node_modules',
  )
  for (const entry of entries) {
    await cp(join(PROJECT, entry), join(folder, entry), { recursive: true })
  }
  await symlink(join(PROJECT, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** All mutations of all files, in the order of the code. */
async function allMutations() {
  const mutations = []
  for (const folder of Object.keys(FOLDERS)) {
    const entries = await readdir(join(copy, folder), { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile()).map(toPath)
    for (const file of files.filter((path) => !path.startsWith(DATA)).toSorted()) {
      const original = await readFile(join(copy, file), 'utf8')
      mutations.push(...mutationsOf(file, original).map((one) => describe(file, original, one)))
    }
  }
  return mutations
}

function toPath(entry) {
  return relative(copy, join(entry.parentPath, entry.name)).replaceAll(sep, '/')
}

/** @param {import('./operators.js').Mutation} mutation */
function describe(file, original, { operator, start, end, replacement }) {
  const mutated = original.slice(0, start) + replacement + original.slice(end)
  const lineStart = original.lastIndexOf('\n', start - 1) + 1
  const lineNumber = original.slice(0, start).split('\n').length
  return {
    file,
    original,
    mutated,
    name: `${file}:${lineNumber}:${start - lineStart + 1} ${operator}`,
    before: lineAt(original, lineStart, end),
    after: lineAt(mutated, lineStart, start + replacement.length),
  }
}

/** The lines from there to the end of a change, as one. */
function lineAt(text, start, end) {
  const next = text.indexOf('\n', end)
  return text
    .slice(start, next < 0 ? undefined : next)
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** Numbers from 0 to 1 by a seed: mulberry32. */
function createRandom(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function print(line) {
  process.stdout.write(`${line}\n`)
}
