import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = new URL('../tasks/', import.meta.url)

export const TASKS = readdirSync(folder)

/** The folder of a task, by its name. */
export function taskFolder(name) {
  if (!TASKS.includes(name))
    throw new Error(`There is no task ${name}. Use one of: ${TASKS.join(', ')}.`)
  return new URL(`${name}/`, folder)
}

/** What an agent finds in its folder at first; undefined where that is nothing. */
export function filesOf(name) {
  const files = fileURLToPath(new URL('files/', taskFolder(name)))
  return existsSync(files) ? files : undefined
}

/** The hidden tests of a task: its command, what its review requires, and its checks. */
export const loadTask = (name) => import(new URL('hidden/checks.js', taskFolder(name)).href)
