import { delimiter, join } from 'node:path'

/** The files that a command may be: the one at its path, or those with its name in the folders of PATH. */
export function filesOf(command: string, { PATH = '' }: NodeJS.ProcessEnv): string[] {
  if (command === '') return []
  if (command.includes('/')) return [command]
  return PATH.split(delimiter).map((folder) => join(folder, command))
}
