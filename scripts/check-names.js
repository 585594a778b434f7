/**
 * `npm run check:names`: a name means one thing. Lists exported names of `src` that two files define, file names that occur in two
 * folders, and entries of the lists below that are no longer needed. Exits with 1 if there are any.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'

const COMMAND = 'a command of the command line, and the function of the library that does the same'
const NO_CODE = 'the console and its words take no code from other folders'

/** Exported names that occur twice, with the reason. @type {Record<string, string>} */
const NAMES_TWICE = {
  DAY_MS: NO_CODE,
  DEFAULT_WORLD: NO_CODE,
  rehearse: COMMAND,
  replay: COMMAND,
  validate: COMMAND,
}

const ENTRY = 'an entry of the package, and what it exports'
const ABOUT = 'a command of the command line, and the thing that it is about'

/** File names that occur in two folders, with the reason. @type {Record<string, string>} */
const FILES_TWICE = {
  gaps: ABOUT,
  generate: ABOUT,
  index: 'the list of a folder of similar items',
  main: 'the entries of the command line and of the console',
  matchers: ENTRY,
  msw: ENTRY,
  partners: ABOUT,
  reset: 'a command, and a kind of fault',
  review: ABOUT,
  validate: ABOUT,
  vitest: ENTRY,
}

const DEFINITION =
  /^export (?:abstract )?(?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm

// Without the modules that builds write.
const files = execFileSync('git', ['ls-files', 'src'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.tsx?$/.test(file) && existsSync(file))

const problems = [
  ...findRepeated(files.flatMap(definitionsIn), NAMES_TWICE),
  ...findRepeated(files.map(toName), FILES_TWICE),
]
for (const problem of problems) process.stdout.write(`${problem}\n`)
if (problems.length > 0) process.exitCode = 1

/**
 * The exported names of a file; a schema and its type share one.
 *
 * @param {string} file
 * @returns {(readonly [name: string, file: string])[]}
 */
function definitionsIn(file) {
  const names = [...readFileSync(file, 'utf8').matchAll(DEFINITION)].map(([, name = '']) => name)
  return [...new Set(names)].map((name) => [name, file])
}

/**
 * @param {string} file
 * @returns {readonly [name: string, file: string]}
 */
function toName(file) {
  return [basename(file).replace(/\.tsx?$/, ''), file]
}

/**
 * A sentence for each name that occurs in two files and is not allowed to, or is allowed to and does not.
 *
 * @param {(readonly [name: string, file: string])[]} occurrences
 * @param {Record<string, string>} allowed
 */
function findRepeated(occurrences, allowed) {
  /** @type {Map<string, string[]>} */
  const places = new Map()
  for (const [name, file] of occurrences) places.set(name, [...(places.get(name) ?? []), file])
  const unneeded = Object.keys(allowed).filter((name) => (places.get(name)?.length ?? 0) < 2)
  return [
    ...[...places]
      .filter(([name, found]) => found.length > 1 && !Object.hasOwn(allowed, name))
      .map(([name, found]) => `${name} occurs twice: ${found.join(', ')}. Rename one of them.`),
    ...unneeded.map((name) => `${name} occurs once by now. Remove it from scripts/check-names.js.`),
  ]
}
