import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ServerOptions } from '../server/start-server.ts'
import type { GetResponse } from '../adapters/user-handlers.ts'
import { withoutControls } from '../contract/describe.ts'
import { OptionError } from '../world/option.ts'

/**
 * The handlers that a module of the user's exports, by default or as `handlers`, with the `getResponse`
 * of the msw that made them: the one found from that file, wherever this package is installed.
 *
 * @throws OptionError when the module cannot be loaded, or exports none.
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
  const getResponse = await loadGetResponse(path)
  return { handlers, ...(getResponse && { getResponse }) }
}

async function load(file: string, path: string): Promise<Record<string, unknown>> {
  try {
    return await import(pathToFileURL(path).href)
  } catch (error) {
    throw new OptionError(`${file}: ${toSentence(error)}`, { cause: error })
  }
}

function toSentence(error: unknown): string {
  const reason = withoutControls(error instanceof Error ? error.message : String(error))
  if (error instanceof Error && 'code' in error) {
    if (error.code === 'ERR_UNKNOWN_FILE_EXTENSION') {
      return `Node ${process.versions.node} cannot load a module of this kind. Name a .js, .mjs or .cjs file.`
    }
    if (error.code === 'ERR_MODULE_NOT_FOUND') {
      return `${reason}. Check the path, and that what the file imports is installed.`
    }
  }
  return `It cannot be loaded: ${reason}`
}

/** Undefined where there is no msw; the one that this package finds, if any, serves then. */
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

/** An export by its name; of a CommonJS module Node may know it on the default export only. */
function exported(module: Record<string, unknown>, name: string): unknown {
  const { default: whole } = module
  const isHeld = name === 'default' || module[name] === undefined
  const held =
    isHeld && typeof whole === 'object' && whole !== null ? Reflect.get(whole, name) : undefined
  return held ?? module[name]
}
