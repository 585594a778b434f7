/**
 * Finds behaviour that no test notices: changes src in one small way at a time and lists the changes with which all tests
 * still pass. Each of these survivors wants a test that fails with it, or the deletion of code that nothing needs; one that
 * changes no behaviour goes into `known-survivors.js`, with the reason.
 *
 *   node test/mutations/run.js [--folder review --folder store] [--count 100] [--seed 1]
 *
 * All folders of src if none is given. The mutations are drawn by the seed, and spread over the files in proportion to
 * their code: the same seed and sources give the same ones, and one that does not compile is replaced by another. A file
 * that no test in Node reaches has none: most of the console, and the store if there is no redis-server.
 *
 * First the tests of the folder that import the file judge each mutation, then all others judge the survivors: the others
 * that import it, those of whole rehearsals, of the built command line if it has the file, of processes and of the store.
 * Tests that take four times as long as without a mutation, and half a minute, count as failed. All of it happens in a copy
 * of the project, which is removed in the end.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { readImports } from './imports.js'
import { KNOWN_SURVIVORS } from './known-survivors.js'
import { mutationsOf } from './operators.js'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))

/** The folders of tests that are the likeliest to notice, if their name differs from that of the folder of src. */
const LIKELY = {
  records: ['test/records/', 'test/scenarios/', 'test/fixtures/'],
}

/** Modules that a script writes from data, which are not in version control. */
const WRITTEN = (await readFile(join(PROJECT, '.gitignore'), 'utf8'))
  .split('\n')
  .flatMap((line) => (line.startsWith('/src/') ? [line.slice(1)] : []))

/** Tests of the build's output. */
const OF_BUILD = 'test/cli/'
const BUILT_ENTRIES = ['src/cli/main.ts']
const BUILT_FOLDERS = ['build', 'dist']

/** Tests of documents, regardless of their imports. */
const OF_DOCUMENTS = ['test/readme.test.ts', 'test/links.test.ts']

/** Tests of other runs than `npm test`. */
const OTHER_RUNS = /^test\/(?:browser|docs|firefox|processes|rehearse|release|store)\//

const OF_REHEARSALS = 'test/rehearse/'
const REHEARSALS_CONFIG = ['--config', 'test/rehearse/vitest.config.ts']
const FOLDERS_OF_REHEARSALS = ['rehearsal', 'review', 'testing']

const OF_STORE = 'test/store/'
const STORE_CONFIG = ['--config', 'test/store/vitest.config.ts']

/** Tests of the built program as a process, which take minutes. */
const OF_PROCESSES = 'test/processes/'
const PROCESSES_CONFIG = ['--config', 'test/processes/vitest.config.ts']
const FOLDERS_OF_PROCESSES = ['cli', 'server']

const PATIENCE_MS = 30_000

/** Keeps vitest's transformed files from one run to the next. */
const CACHE = ['--experimental.fsModuleCache', '--experimental.fsModuleCachePath=modules-of-vitest']

const { values } = parseArgs({
  options: {
    folder: { type: 'string', multiple: true, default: [] },
    count: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
  },
})
const count = Number(values.count)
const random = createRandom(Number(values.seed))

/** The tests that ran without a mutation, and the durations of those that passed. */
const measured = new Set()
const durationsMs = new Map()

/** The command that runs in the copy, in a process group of its own. */
let running
let isStopped = false
const copy = await mkdtemp(join(tmpdir(), 'mutations-'))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, stop)
try {
  await run()
} finally {
  await removeCopy()
}

async function stop() {
  isStopped = true
  print('\nStopped: the copy of the project is removed.')
  running?.kill()
  await removeCopy()
  process.exit(130)
}

function removeCopy() {
  return rm(copy, { recursive: true, force: true, maxRetries: 5 })
}

async function run() {
  const startedMs = Date.now()
  await copyProject()
  const imports = await readImports(copy)
  const { sources, unreached } = await findSources(imports)
  const mutations = await allMutations([...sources.keys()])
  if (mutations.length === 0) throw new Error('No test in Node reaches these folders.')
  print(
    `${mutations.length} mutations of ${sources.size} files; no test that runs here reaches ${unreached} files. Building …`,
  )
  await buildFirst()
  const open = []
  for (let index = 0; index < count; index += 1) {
    const candidates = mutations.slice(share(index, mutations), share(index + 1, mutations))
    await step(index, count, async () => {
      const mutation = await drawOne(candidates)
      if (!mutation) return { verdict: 'none compiles' }
      if (await notice(sources.get(mutation.file).near, mutation))
        return { verdict: 'killed', mutation }
      open.push(mutation)
      return { verdict: 'survived the tests of its folder', mutation }
    })
  }
  const survivors = []
  for (const [index, mutation] of open.entries()) {
    await step(index, open.length, async () => {
      const killer = await killerOf(mutation, sources.get(mutation.file))
      if (!killer) survivors.push(mutation)
      return { verdict: killer ? `killed by ${killer}` : 'SURVIVED', mutation }
    })
  }
  report(survivors, Date.now() - startedMs)
}

/** Does one of several pieces of work, and prints its result. */
async function step(index, of, work) {
  const beganMs = Date.now()
  const { verdict, mutation } = await work()
  const seconds = Math.round((Date.now() - beganMs) / 1000)
  print(`${index + 1}/${of} ${seconds} s ${verdict}: ${mutation?.name ?? ''}`)
}

function report(survivors, tookMs) {
  print(
    `\n${survivors.length} of ${count} mutations survived, in ${Math.ceil(tookMs / 60_000)} min.`,
  )
  for (const { name, file, before, after } of survivors) {
    const known = KNOWN_SURVIVORS.find(
      (one) => one.file === file && one.before === before && one.after === after,
    )
    print(`\n${name}\n  - ${before}\n  + ${after}`)
    print(known ? `  changes no behaviour: ${known.because}` : '  is not explained')
  }
}

/** The index at which a part of the mutations begins: there are as many parts as mutations to run. */
function share(index, mutations) {
  return Math.floor((index * mutations.length) / count)
}

/** Draws mutations until one compiles. */
async function drawOne(candidates) {
  const remaining = [...candidates]
  while (remaining.length > 0) {
    const [mutation] = remaining.splice(Math.floor(random() * remaining.length), 1)
    if (await during(mutation, () => compiles(mutation.file))) return mutation
  }
  return undefined
}

/** The tests of other folders that notice a mutation; undefined for a survivor. */
async function killerOf(mutation, { far, rehearsals, commandLine, processes, store }) {
  if (await notice(far, mutation)) return 'other tests'
  if (await notice(rehearsals, mutation, REHEARSALS_CONFIG)) return 'whole rehearsals'
  if (commandLine.length + processes.length + store.length === 0) return undefined
  try {
    if (!(await during(mutation, build))) return 'the build'
    if (await notice(commandLine, mutation)) return 'tests of the command line'
    if (await notice(processes, mutation, PROCESSES_CONFIG)) return 'tests of processes'
    if (await notice(store, mutation, STORE_CONFIG)) return 'tests of the store'
    return undefined
  } finally {
    await restoreBuild()
  }
}

/** True if some of these tests fail with a mutation that pass without it; the quickest run first. */
async function notice(tests, mutation, config) {
  await measure(tests, config)
  const passing = tests
    .filter((test) => durationsMs.has(test))
    .toSorted((one, other) => durationsMs.get(one) - durationsMs.get(other))
  const half = Math.ceil(passing.length / 2)
  for (const some of [passing.slice(0, half), passing.slice(half)]) {
    if (some.length === 0) continue
    const usualMs = some.reduce((sum, test) => sum + durationsMs.get(test), 0)
    const options = vitest([...some, '--bail=1'], config)
    const pass = () => succeeds('npx', options, PATIENCE_MS + 4 * usualMs)
    if (!(await during(mutation, pass))) return true
  }
  return false
}

/** Calls `work` while the mutation is in its file. */
async function during({ file, original, mutated }, work) {
  await writeFile(join(copy, file), mutated)
  try {
    return await work()
  } finally {
    await writeFile(join(copy, file), original)
  }
}

/** The files to mutate, each with the tests that reach it. */
async function findSources(imports) {
  const tests = imports.files.filter(isTest)
  const reached = new Map(tests.map((test) => [test, imports.reachedFrom([test])]))
  const inBuild = imports.reachedFrom(BUILT_ENTRIES)
  const hasRedis = await succeeds('redis-server', ['--version'])
  const sources = new Map()
  let unreached = 0
  for (const file of imports.files.filter(isMutated)) {
    const [, folder] = file.split('/')
    const likely = LIKELY[folder] ?? [`test/${folder}/`]
    const related = tests.filter((test) => reached.get(test).has(file))
    const isNear = (test) => likely.some((start) => test.startsWith(start))
    const found = {
      near: related.filter(isNear),
      far: related.filter((test) => !isNear(test)),
      rehearsals: FOLDERS_OF_REHEARSALS.includes(folder) ? testsIn(imports, OF_REHEARSALS) : [],
      commandLine: inBuild.has(file) ? testsIn(imports, OF_BUILD) : [],
      processes: FOLDERS_OF_PROCESSES.includes(folder) ? testsIn(imports, OF_PROCESSES) : [],
      store: folder === 'store' && hasRedis ? testsIn(imports, OF_STORE) : [],
    }
    const isReached = Object.values(found).some((own) => own.length > 0)
    if (isReached && (folder !== 'store' || hasRedis)) sources.set(file, found)
    else unreached += 1
  }
  return { sources, unreached }
}

function testsIn({ files }, folder) {
  return files.filter((file) => file.startsWith(folder) && file.endsWith('.test.ts'))
}

function isTest(file) {
  return (
    file.endsWith('.test.ts') &&
    !OTHER_RUNS.test(file) &&
    !file.startsWith(OF_BUILD) &&
    !OF_DOCUMENTS.includes(file)
  )
}

function isMutated(file) {
  if (!file.startsWith('src/') || WRITTEN.some((start) => file.startsWith(start))) return false
  return values.folder.length === 0 || values.folder.some((name) => file.startsWith(`src/${name}/`))
}

/**
 * Measures tests without a mutation that did not run before. A test that fails even so, as on a machine that is too busy,
 * is left out and reported.
 */
async function measure(tests, config) {
  const unknown = tests.filter((test) => !measured.has(test))
  if (unknown.length === 0) return
  print(`Running ${unknown.length} files of tests without a mutation …`)
  const results = join(copy, 'results.json')
  const output = ['--reporter=json', `--outputFile=${results}`]
  await succeeds('npx', vitest([...unknown, ...output], config))
  const { testResults } = JSON.parse(await readFile(results, 'utf8'))
  for (const { name, status, startTime, endTime } of testResults) {
    const test = name.slice(copy.length + 1)
    if (status === 'passed') durationsMs.set(test, endTime - startTime)
    else print(`Left out, for it fails without a mutation: ${test}`)
  }
  for (const test of unknown) measured.add(test)
}

/** Builds without a mutation, and keeps the result: some tests of any folder read it. */
async function buildFirst() {
  if (!(await build())) throw new Error('npm run build fails without any mutation.')
  for (const name of BUILT_FOLDERS) await cp(join(copy, name), saved(name), { recursive: true })
}

function build() {
  return succeeds('npm', ['run', 'build'])
}

function saved(name) {
  return join(copy, 'saved', name)
}

/** Restores the output of the build without a mutation, with which other tests compare their results. */
async function restoreBuild() {
  for (const name of BUILT_FOLDERS) {
    await rm(join(copy, name), { recursive: true, force: true })
    await cp(saved(name), join(copy, name), { recursive: true })
  }
}

function compiles(file) {
  const project = file.startsWith('src/console/') ? 'src/console' : 'tsconfig.build.json'
  const cache = join(copy, `${project.replaceAll('/', '-')}.tsbuildinfo`)
  const options = ['-p', project, '--noEmit', '--incremental', '--tsBuildInfoFile', cache]
  return succeeds('npx', ['tsc', ...options])
}

function vitest(options, config = []) {
  // A test that fails only for want of time, on a busy machine, passes the second time.
  return [
    'vitest',
    'run',
    '--retry=1',
    ...CACHE,
    '--typecheck.enabled=false',
    ...config,
    ...options,
  ]
}

/** Resolves to true if a command succeeds within the time. */
async function succeeds(command, options, limitMs = Infinity) {
  // In a group of its own, so that workers in an endless loop end with it.
  const child = spawn(command, options, { cwd: copy, stdio: 'ignore', detached: true })
  const kill = () => child.pid && process.kill(-child.pid, 'SIGKILL')
  const timer = limitMs === Infinity ? undefined : setTimeout(kill, limitMs)
  running = { kill }
  try {
    const [code] = await once(child, 'exit')
    return code === 0
  } catch {
    return false
  } finally {
    clearTimeout(timer)
    running = undefined
    if (isStopped) await new Promise(() => {})
  }
}

async function copyProject() {
  const left = ['.git', 'node_modules', ...BUILT_FOLDERS]
  const entries = (await readdir(PROJECT)).filter((entry) => !left.includes(entry))
  for (const entry of entries) {
    await cp(join(PROJECT, entry), join(copy, entry), { recursive: true })
  }
  const modules = join(PROJECT, 'node_modules')
  if (!existsSync(modules)) throw new Error('Run npm ci first.')
  await symlink(modules, join(copy, 'node_modules'))
  if (!(await succeeds('npm', ['run', 'precheck']))) throw new Error('npm run precheck fails.')
}

/** All mutations of these files, in the order of the code. */
async function allMutations(files) {
  const mutations = []
  for (const file of files) {
    const original = await readFile(join(copy, file), 'utf8')
    mutations.push(...mutationsOf(file, original).map((one) => describe(file, original, one)))
  }
  return mutations
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

/** The lines from the start to the end of a change, as one. */
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
