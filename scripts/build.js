import { execSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Builds the package: tsc and the other steps write to build/, and the contents of the package move from there to dist/
 * when all of them have succeeded. A running server loads most of its parts on first use. They are named by their content,
 * and stay until a build after the next one that differs; files with a fixed name are replaced last, each at once.
 *
 *   node scripts/build.js [--if-changed] [--clean] [--check]
 *
 * With `--if-changed` nothing is built if the same was built before; with `--clean` nothing of other builds stays. With
 * `--check` nothing is built either: it exits with 1 if something has changed.
 */

const STEPS = [
  'tsc -p tsconfig.build.json',
  'node scripts/write-openapi.js',
  'node scripts/bundle.js',
  'node scripts/copy-types.js',
]

/** Inputs of a build. */
const INPUTS = [
  'docs/README.md',
  'fixtures',
  'package-lock.json',
  'package.json',
  'scripts',
  'src',
  'tsconfig.build.json',
  'tsconfig.json',
]

/**
 * @typedef {object} Built
 * @property {string} [inputs] The hash of the inputs; none if the build did not end.
 * @property {string[]} files The files that it wrote to dist/.
 * @property {string[]} before The files of the last build that differed.
 */

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const RECORD = join('build', 'built.json')
const STAGED = join('build', 'dist')
/** The path that npm sets. */
const PATH = [resolve('node_modules', '.bin'), process.env['PATH']].join(delimiter)

const last = await readRecord()
if (process.argv.includes('--check')) process.exitCode = (await isBuilt()) ? 0 : 1
else if (!process.argv.includes('--if-changed') || !(await isBuilt())) await build()

async function build() {
  process.stderr.write('Building …\n')
  run('node scripts/write-modules.js')
  const inputs = await hashInputs()
  await rm('build', { recursive: true, force: true })
  await mkdir('build')
  await write({ files: last.files, before: last.before })
  for (const step of STEPS) run(step)
  const files = await list(STAGED)
  const isSame = files.join() === last.files.join()
  const before = isSame ? last.before : last.files
  await replace(files, process.argv.includes('--clean') ? [] : before)
  await write({ inputs, files, before })
}

/** @param {string} command */
function run(command) {
  try {
    execSync(command, { stdio: 'inherit', env: { ...process.env, PATH } })
  } catch {
    // The command has printed the reason.
    process.exit(1)
  }
}

/**
 * Moves files to dist/, starting with those that others load. Removes all other files there, except for `kept`.
 *
 * @param {string[]} files
 * @param {string[]} kept
 */
async function replace(files, kept) {
  const isEntry = (/** @type {string} */ file) => !file.includes(sep)
  for (const file of [...files.filter((one) => !isEntry(one)), ...files.filter(isEntry)]) {
    await mkdir(dirname(join('dist', file)), { recursive: true })
    await rename(join(STAGED, file), join('dist', file))
  }
  const wanted = new Set([...files, ...kept])
  for (const file of await list('dist')) if (!wanted.has(file)) await rm(join('dist', file))
}

/** @returns {Promise<Built>} */
async function readRecord() {
  if (existsSync(RECORD)) return JSON.parse(await readFile(RECORD, 'utf8'))
  return { files: await list('dist'), before: [] }
}

/** @param {Built} record */
async function write(record) {
  await writeFile(RECORD, JSON.stringify(record))
}

async function isBuilt() {
  const { inputs, files } = last
  if (inputs === undefined || inputs !== (await hashInputs())) return false
  return files.every((file) => existsSync(join('dist', file)))
}

async function hashInputs() {
  const hash = createHash('sha256')
  for (const input of INPUTS) {
    const files = input.includes('.') ? [''] : await list(input)
    for (const file of files.map((one) => join(input, one))) {
      hash.update(`${file}\0`).update(await readFile(file))
    }
  }
  return hash.digest('hex')
}

/**
 * The files of a folder, however deep, sorted.
 *
 * @param {string} folder
 */
async function list(folder) {
  if (!existsSync(folder)) return []
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .toSorted()
}
