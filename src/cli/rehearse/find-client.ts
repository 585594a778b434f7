import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { filesOf } from '../exec/find-in-path.ts'
import { readProgram } from './elf.ts'
import { toRuntime } from './runtime-probes.ts'
import type { Runtime } from './runtime-probes.ts'

/** The program that a command line comes down to. */
export interface Client {
  file: string
  /** How the command line begins, up to the program. */
  start: readonly string[]
  /** Undefined for any other program than a known runtime. */
  runtime: Runtime | undefined
}

/** Programs that run the rest of their command line. */
const WRAPPERS = ['env', 'nice', 'nohup', 'setsid', 'stdbuf', 'time', 'timeout']

/**
 * Finds the program behind wrappers, symbolic links and the first lines of scripts. A script with the name of a runtime, such as pyenv's
 * `python3`, counts as that runtime. Undefined where there is no such command, or no such interpreter.
 */
export function findClient(
  [name = '', ...rest]: readonly string[],
  env: NodeJS.ProcessEnv,
): Client | undefined {
  const file = findFile(name, env)
  if (file === undefined) return undefined
  const runtime = toRuntime(basename(name)) ?? toRuntime(basename(realpathSync(file)))
  if (runtime !== undefined) return { file, start: [name], runtime }
  if (WRAPPERS.includes(basename(name))) {
    const at = rest.findIndex((word) => findFile(word, env) !== undefined)
    const client = findClient(rest.slice(at), env)
    return client && { ...client, start: [name, ...rest.slice(0, at), ...client.start] }
  }
  const interpreter = readInterpreter(file)
  return interpreter ? findClient(interpreter, env) : { file, start: [name], runtime: undefined }
}

function findFile(name: string, env: NodeJS.ProcessEnv): string | undefined {
  return filesOf(name, env).find(isProgram)
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}

/** The words after `#!`; undefined for a file that does not begin with that. */
function readInterpreter(file: string): string[] | undefined {
  const [line = ''] = readProgram(file).toString('latin1', 0, 256).split('\n')
  return line.startsWith('#!') ? line.slice(2).trim().split(/\s+/) : undefined
}
