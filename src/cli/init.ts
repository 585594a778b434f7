import { access, readFile, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { withoutControls } from '../contract/describe.ts'
import { codeOf, toFileReason } from '../server/file-errors.ts'
import { createFile } from '../server/replace-file.ts'
import { OptionError } from '../world/parse-option.ts'
import { colorsFor } from './colors.ts'
import { createStarterFixture } from './starter-fixture.ts'
import { createStarterTest } from './starter-test.ts'
import type { Runner, Setup, StarterTest } from './starter-test.ts'

const DONE = 0
const FIXTURE = 'agency.yaml'
const SCHEMA = 'node_modules/seo-sandbox/fixtures/schema.json'

/**
 * `seo-sandbox init`: writes a fixture and a test for it into a folder, and never overwrites a file.
 *
 * @throws OptionError if the folder cannot be written to, or its package.json cannot be read.
 */
export async function init(folder: string, { json }: { json: boolean }): Promise<number> {
  await requireFolder(folder)
  const project = await findProject(folder)
  const test = createStarterTest(project, FIXTURE)
  const schema = await findUpwards(folder, SCHEMA)
  const files = [
    {
      path: join(folder, FIXTURE),
      text: createStarterFixture({
        schema: toImport(folder, schema ?? join(project.root, SCHEMA)),
      }),
      purpose: 'a small agency to start from',
    },
    {
      path: join(folder, test.name),
      text: test.text,
      purpose: `two tests of it, for ${test.runner}`,
    },
  ]
  const lines: string[] = []
  const written: string[] = []
  for (const { path, text, purpose } of files) {
    const isWritten = await writeNew(path, text)
    if (isWritten) written.push(path)
    const name = withoutControls(path)
    lines.push(isWritten ? `Wrote ${name}: ${purpose}.` : `${name} exists and was not changed.`)
  }
  const commands = nextCommands(folder, project, test, schema !== undefined)
  if (json) {
    const unchanged = files.map(({ path }) => path).filter((path) => !written.includes(path))
    process.stdout.write(`${JSON.stringify({ written, unchanged, next: commands })}\n`)
    return DONE
  }
  if (written.length === 0) {
    lines.push('There is nothing to do.')
  } else {
    const { cyan } = colorsFor(process.stdout)
    lines.push('', 'Next:', ...commands.map((command) => `  ${cyan(withoutControls(command))}`))
  }
  process.stdout.write(`${lines.join('\n')}\n`)
  return DONE
}

async function requireFolder(folder: string): Promise<void> {
  const name = withoutControls(folder)
  const entry = await stat(folder).catch(() => undefined)
  if (!entry) throw new OptionError(`${name}: There is no such folder. Create it, or name another.`)
  if (!entry.isDirectory()) throw new OptionError(`${name}: This is a file. Name a folder.`)
}

/** The project that a folder belongs to. */
interface Project extends Setup {
  /** The folder of its package.json; without one, the folder itself. */
  root: string
}

const RUNNERS: [dependency: string, runner: Runner][] = [
  ['vitest', 'vitest'],
  ['jest', 'jest'],
  ['@playwright/test', 'playwright'],
]

async function findProject(folder: string): Promise<Project> {
  const file = await findUpwards(folder, 'package.json')
  const root = file === undefined ? resolve(folder) : dirname(file)
  const { type, dependencies, devDependencies } = await readPackage(file)
  const installed = { ...toFields(dependencies), ...toFields(devDependencies) }
  const [, runner = 'node'] = RUNNERS.find(([name]) => Object.hasOwn(installed, name)) ?? []
  const configuration = await findUpwards(folder, 'tsconfig.json', root)
  return { root, runner, isModule: type === 'module', isTypeScript: configuration !== undefined }
}

async function readPackage(file: string | undefined): Promise<Record<string, unknown>> {
  if (file === undefined) return {}
  try {
    const text = await readFile(file, 'utf8')
    return toFields(JSON.parse(text.replace(/^\uFEFF/, '')))
  } catch (error) {
    const name = withoutControls(file)
    const cause = { cause: error }
    if (error instanceof SyntaxError)
      throw new OptionError(`${name}: This is not valid JSON. Correct it.`, cause)
    throw new OptionError(`${name}: It cannot be read. Check its permissions.`, cause)
  }
}

function toFields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** The path of a file in a folder or the nearest one above it, up to `top`. */
async function findUpwards(
  folder: string,
  name: string,
  top?: string,
): Promise<string | undefined> {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const path = join(at, name)
    if (await exists(path)) return path
    if (at === top || at === dirname(at)) return undefined
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** A path relative to the folder, with slashes on every system: `./node_modules/…`. */
function toImport(folder: string, path: string): string {
  const text = relative(resolve(folder), path).split(sep).join('/')
  return text.startsWith('.') ? text : `./${text}`
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
  { root }: Project,
  test: StarterTest,
  isInstalled: boolean,
): string[] {
  const here = resolve('.')
  const pathOf = (name: string) => quote(relative(root, resolve(folder, name)))
  return [
    ...(root === here ? [] : [`cd ${quote(relative(here, root))}`]),
    ...(isInstalled ? [] : ['npm install --save-dev seo-sandbox']),
    test.command(pathOf(test.name)),
    `npx seo-sandbox validate ${pathOf(FIXTURE)}`,
    `npx seo-sandbox --fixtures ${pathOf(FIXTURE)}`,
  ]
}

/** A path quoted for a shell. */
function quote(path: string): string {
  if (/^[\w./\\:@+-]+$/.test(path)) return path
  return sep === '\\' ? `"${path}"` : `'${path.replaceAll("'", String.raw`'\''`)}'`
}
