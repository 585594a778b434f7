import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { printJson } from './print-json.ts'
import { withoutControls } from '../contract/describe.ts'
import { codeOf, toFileReason } from '../server/file-errors.ts'
import { createFile } from '../server/replace-file.ts'
import { OptionError } from '../world/options/option-error.ts'
import { colorsFor } from './colors.ts'
import { findProject } from './project.ts'
import type { Project } from './project.ts'
import { quote } from './quote.ts'
import { STARTER_FILES } from './starter-files.ts'
import { findStarter, FIXTURE, JEST_OPTION } from './starters.ts'
import type { StarterFile, StarterTest } from './starters.ts'

const DONE = 0
const SCHEMA = 'seo-sandbox/fixtures/schema.json'

/**
 * `seo-sandbox init`: writes a fixture and a test for it into a folder, and never overwrites a file.
 *
 * @throws OptionError if the folder cannot be written to, or its package.json cannot be read.
 */
export async function init(folder: string, { json }: { json: boolean }): Promise<number> {
  await requireFolder(folder)
  const project = await findProject(folder)
  const jest = toSlashes(relative(project.root, project.dependency('jest/bin/jest.js')))
  const { runner, script: usual, toTest } = findStarter(project)
  // On Windows npx cannot pass options to Node.
  const test = toTest({ ...project, jest: `node ${JEST_OPTION} ${quote(jest)}` })
  const isFound = runner !== 'node:test' || usual?.test(project.testScript)
  const why = isFound ? '' : ', because no other test runner was found'
  const schema = project.dependency(SCHEMA)
  const files: StarterFile[] = [
    { name: FIXTURE, source: 'agency.yaml', purpose: 'a small agency to start from' },
    { ...test, purpose: `four tests of it, for ${runner}${why}` },
    ...(test.support ?? []),
  ]
  const lines: string[] = []
  const written: string[] = []
  const unchanged: string[] = []
  for (const { name, source, purpose } of files) {
    const path = join(folder, name)
    const text = STARTER_FILES[source].replace('../schema.json', () => toImport(folder, schema))
    const isWritten = await writeNew(path, text)
    const list = isWritten ? written : unchanged
    list.push(path)
    const shown = withoutControls(path)
    lines.push(isWritten ? `Wrote ${shown}: ${purpose}.` : `${shown} exists and was not changed.`)
  }
  const commands = nextCommands(folder, project, test, existsSync(schema))
  const { script } = test
  if (json) {
    const scripts = script && { test: script.test }
    printJson({ written, unchanged, next: commands, scripts })
    return DONE
  }
  if (written.length === 0) {
    lines.push('There is nothing to do.')
  } else {
    const { cyan } = colorsFor(process.stdout)
    const show = (text: string) => `  ${cyan(withoutControls(text))}`
    lines.push('', 'Next:', ...commands.map(show))
    if (script) {
      lines.push(
        '',
        `Set this script in package.json, which init does not change. ${script.reason}`,
      )
      lines.push(show(`"test": ${JSON.stringify(script.test)}`))
    }
  }
  process.stdout.write(`${lines.join('\n')}\n`)
  return DONE
}

export async function requireFolder(folder: string): Promise<void> {
  const name = withoutControls(folder)
  const entry = await stat(folder).catch(() => undefined)
  if (!entry) throw new OptionError(`${name}: There is no such folder. Create it, or name another.`)
  if (!entry.isDirectory()) throw new OptionError(`${name}: This is a file. Name a folder.`)
}

/** A path relative to the folder, with slashes on every system: `./node_modules/…`. */
export function toImport(folder: string, path: string): string {
  const text = toSlashes(relative(resolve(folder), path))
  return text.startsWith('.') ? text : `./${text}`
}

function toSlashes(path: string): string {
  return path.split(sep).join('/')
}

/** Writes a file unless it exists. @returns whether it was written */
async function writeNew(path: string, text: string): Promise<boolean> {
  try {
    await createFile(path, text)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw new OptionError(`${withoutControls(path)}: ${toFileReason(error)}`, { cause: error })
  }
}

/** The commands to run next, starting in the current folder. */
function nextCommands(
  folder: string,
  { root, manager }: Project,
  test: StarterTest,
  isInstalled: boolean,
): string[] {
  const here = resolve('.')
  const pathOf = (name: string) => quote(relative(root, resolve(folder, name)))
  return [
    ...(root === here ? [] : [`cd ${quote(relative(here, root))}`]),
    ...(isInstalled ? [] : [manager.install]),
    test.command(pathOf(test.name)),
    manager.exec(`seo-sandbox validate ${pathOf(FIXTURE)}`),
    manager.exec(`seo-sandbox --fixtures ${pathOf(FIXTURE)}`),
  ]
}
