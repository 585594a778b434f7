import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { basename, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ServerOptions } from '../server/server-options.ts'
import type { GetResponse } from '../adapters/user-handlers.ts'
import { userLocationOf } from '../adapters/fail-with.ts'
import { withoutControls } from '../contract/text.ts'
import { OptionError } from '../world/options/option-error.ts'

/**
 * Loads the handlers that a user's module exports as `handlers` or by default. Also loads `getResponse` of the msw that the
 * module resolves, because that msw has created the handlers.
 *
 * @throws OptionError if the module cannot be loaded, or exports no handlers.
 */
export async function loadHandlers(
  file: string,
): Promise<Pick<ServerOptions, 'handlers' | 'getResponse'>> {
  const path = resolve(file)
  const module = await load(file, path)
  const handlers = exported(module, 'handlers') ?? exported(module, 'default')
  if (!Array.isArray(handlers)) {
    throw new OptionError(
      `${file}: It exports no list of handlers. Write export const handlers = [http.get(…)].`,
    )
  }
  const { requireHandlers } = await import('../adapters/user-handlers.ts')
  requireHandlers(handlers, `${file}: `)
  const getResponse = await loadGetResponse(path)
  return { handlers, ...(getResponse && { getResponse }) }
}

async function load(file: string, path: string): Promise<Record<string, unknown>> {
  try {
    return await import(pathToFileURL(path).href)
  } catch (error) {
    throw new OptionError(`${file}: ${toSentence(error, path)}`, { cause: error })
  }
}

const ESM_AS_COMMONJS = /import statement outside a module|Unexpected token 'export'/

function toSentence(error: unknown, path: string): string {
  const reason = withoutControls(error instanceof Error ? error.message : String(error))
  if (error instanceof Error && 'code' in error) {
    if (error.code === 'ERR_UNKNOWN_FILE_EXTENSION') {
      return `Node ${process.versions.node} cannot load a module of this kind. Name a .js, .mjs or .cjs file.`
    }
    const isMissing = 'url' in error && error.url === pathToFileURL(path).href
    if (isMissing) return 'There is no such file. Check the path.'
    if (error.code === 'ERR_MODULE_NOT_FOUND') {
      return `${reason}. Check the path, and that the imports of the file are installed.`
    }
  }
  if (error instanceof SyntaxError && ESM_AS_COMMONJS.test(reason)) {
    return `It cannot be loaded: ${reason}. Node treats it as CommonJS: rename it to end in .mjs.`
  }
  const location = userLocationOf(error) ?? locationOfSyntaxError(error, path)
  return `It cannot be loaded: ${reason}${location === undefined ? '' : ` (${location})`}`
}

/**
 * Returns the file and line of a syntax error in a module; undefined for other errors. Node prints the location, but does not
 * put it into the error.
 */
function locationOfSyntaxError(error: unknown, path: string): string | undefined {
  if (!(error instanceof SyntaxError)) return undefined
  const { stderr } = spawnSync(process.execPath, ['--check', path], { encoding: 'utf8' })
  const [line = ''] = stderr.split('\n')
  return /:\d+$/.test(line) ? basename(line) : undefined
}

/**
 * Loads `getResponse` from the msw that the module at `path` resolves. If there is none, returns undefined, and the server uses
 * the msw that this package resolves.
 */
async function loadGetResponse(path: string): Promise<GetResponse | undefined> {
  const entry = resolveMsw(path)
  if (entry === undefined) return undefined
  return exported(await import(pathToFileURL(entry).href), 'getResponse') as GetResponse
}

function resolveMsw(path: string): string | undefined {
  try {
    return createRequire(path).resolve('msw')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') {
      return undefined
    }
    throw error
  }
}

/** Returns an export by its name. Node may offer the exports of a CommonJS module only on its default export. */
function exported(module: Record<string, unknown>, name: string): unknown {
  const { default: whole } = module
  const isNested = name === 'default' || module[name] === undefined
  const nested =
    isNested && typeof whole === 'object' && whole !== null ? Reflect.get(whole, name) : undefined
  return nested ?? module[name]
}
