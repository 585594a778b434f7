import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The built package. */
export const DIST = fileURLToPath(new URL('../../dist/', import.meta.url))

const BUNDLED = JSON.parse(
  readFileSync(new URL('../../build/bundled-modules.json', import.meta.url), 'utf8'),
) as Record<string, string[]>

/** Files of the last build there; those of the build before it are still there. */
export const BUILT = (
  JSON.parse(readFileSync(new URL('../../build/built.json', import.meta.url), 'utf8')) as {
    files: string[]
  }
).files

/** The modules that a file of dist/ is bundled from; any other file is itself a module. */
export function modulesOfFile(file: string): string[] {
  const name = file.startsWith(DIST) ? file.slice(DIST.length).replaceAll('\\', '/') : ''
  return BUNDLED[name] ?? [file]
}
