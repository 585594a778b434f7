import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { withoutControls } from '../contract/text.ts'
import { OptionError } from '../world/options/option-error.ts'

export interface UserProject {
  /**
   * Nearest folder with package.json, deno.json or deno.jsonc, at or above the user's folder; the user's folder if
   * there is none.
   */
  root: string
  /** True if `.js` files are ES modules. */
  isModule: boolean
  /** True if the project has a tsconfig.json, or depends on TypeScript. */
  isTypeScript: boolean
  /** Returns true if a package is among the dependencies of the project or of its workspace. */
  dependsOn: (name: string) => boolean
  /** The `test` script of package.json; empty if there is none. */
  testScript: string
  manager: PackageManager
  /**
   * Returns the absolute path of a file in `node_modules`, which may be in a workspace above the project. The file need not
   * exist yet.
   */
  dependency: (path: string) => string
}

interface PackageManager {
  name: 'npm' | 'pnpm' | 'yarn' | 'bun' | 'deno'
  install: string
  /** Returns the command line that runs a command of a package. */
  exec: (command: string) => string
}

const NPM: PackageManager = {
  name: 'npm',
  install: 'npm install --save-dev seo-sandbox',
  exec: (command) => `npx ${command}`,
}
const PNPM: PackageManager = {
  name: 'pnpm',
  install: 'pnpm add --save-dev seo-sandbox',
  exec: (command) => `pnpm exec ${command}`,
}
const YARN: PackageManager = {
  name: 'yarn',
  install: 'yarn add --dev seo-sandbox',
  exec: (command) => `yarn ${command}`,
}
const BUN: PackageManager = {
  name: 'bun',
  install: 'bun add --dev seo-sandbox',
  exec: (command) => `bunx ${command}`,
}
const DENO: PackageManager = {
  name: 'deno',
  // Our declarations use the types of Node.
  install: 'deno add npm:seo-sandbox npm:@types/node',
  exec: (command) => `deno run --allow-all npm:${command}`,
}

const MANAGERS: [file: string, manager: PackageManager][] = [
  ['package-lock.json', NPM],
  ['pnpm-lock.yaml', PNPM],
  ['yarn.lock', YARN],
  ['bun.lock', BUN],
  ['bun.lockb', BUN],
  ['bunfig.toml', BUN],
  ['deno.lock', DENO],
  ['deno.json', DENO],
  ['deno.jsonc', DENO],
]

export const BUN_TEST = /\bbun test\b/
export const DENO_TEST = /\bdeno test\b/
const SCRIPT_MANAGERS: [script: RegExp, manager: PackageManager][] = [
  [BUN_TEST, BUN],
  [DENO_TEST, DENO],
]

/** @throws OptionError for a package.json that cannot be read or is not valid JSON. */
export async function findUserProject(folder: string): Promise<UserProject> {
  const file = findUpwards(folder, ['package.json', 'deno.json', 'deno.jsonc'])
  const root = file === undefined ? resolve(folder) : dirname(file)
  const projectPackage = await readPackage(root)
  const { test } = toFields(projectPackage['scripts'])
  const testScript = typeof test === 'string' ? test : ''
  const workspace = await findWorkspace(root)
  const packages = [projectPackage, workspace.package]
  const configuration = findUpwards(folder, ['tsconfig.json'], root)
  const found = findManager(root) ?? findManager(workspace.root)
  const manager = found ?? SCRIPT_MANAGERS.find(([script]) => script.test(testScript))?.[1] ?? NPM
  // pnpm links the dependencies of a project into the project's own folder.
  const modules = manager.name === 'pnpm' ? root : workspace.root
  const dependsOn = (name: string): boolean =>
    packages.some(({ dependencies, devDependencies }) =>
      [dependencies, devDependencies].some((list) => Object.hasOwn(toFields(list), name)),
    )
  return {
    root,
    isModule: projectPackage['type'] === 'module',
    isTypeScript: configuration !== undefined || dependsOn('typescript'),
    dependsOn,
    testScript,
    manager,
    dependency: (path) => {
      const name = join('node_modules', path)
      return findUpwards(root, [name]) ?? join(modules, name)
    },
  }
}

/** Returns the nearest workspace at or above a project; without one, the project's folder with an empty package. */
async function findWorkspace(
  root: string,
): Promise<{ root: string; package: Record<string, unknown> }> {
  for (let at = root; at !== dirname(at); at = dirname(at)) {
    const found = await readPackage(at)
    if (found['workspaces'] !== undefined || existsSync(join(at, 'pnpm-workspace.yaml')))
      return { root: at, package: found }
  }
  return { root, package: {} }
}

function findManager(root: string): PackageManager | undefined {
  return MANAGERS.find(([file]) => existsSync(join(root, file)))?.[1]
}

async function readPackage(folder: string): Promise<Record<string, unknown>> {
  const file = join(folder, 'package.json')
  if (!existsSync(file)) return {}
  try {
    const text = await readFile(file, 'utf8')
    return toFields(JSON.parse(text.replace(/^\uFEFF/, '')))
  } catch (error) {
    const name = withoutControls(relative('.', file))
    const cause = { cause: error }
    if (error instanceof SyntaxError)
      throw new OptionError(`${name}: This is not valid JSON. Correct it.`, cause)
    throw new OptionError(`${name}: It cannot be read. Check its permissions.`, cause)
  }
}

function toFields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/**
 * Searches a folder and the folders above it, up to `top`, for the first of these files. Returns the path; undefined if no file
 * exists.
 */
function findUpwards(folder: string, names: string[], top?: string): string | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const found = names.find((name) => existsSync(join(at, name)))
    if (found !== undefined) return join(at, found)
    if (at === top || at === dirname(at)) return undefined
  }
}
