import { existsSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import { dirname, join, posix, relative, sep } from 'node:path'
import { parseSync } from 'rolldown/utils'

/**
 * The imports between files, without those of types: a test may depend on any file that it reaches.
 *
 * @param {string} project
 */
export async function readImports(project) {
  const found = []
  for (const folder of ['src', 'test']) {
    const entries = await readdir(join(project, folder), { recursive: true, withFileTypes: true })
    found.push(
      ...entries
        .filter(({ name }) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
        .map(({ parentPath, name }) => relative(project, join(parentPath, name)))
        .map((path) => path.replaceAll(sep, '/')),
    )
  }
  const files = found.map(String).toSorted()
  const imports = new Map()
  for (const file of files) {
    const text = await readFile(join(project, file), 'utf8')
    imports.set(
      file,
      importsOf(file, text).filter((path) => existsSync(join(project, path))),
    )
  }
  return { files, reachedFrom: (entries) => reachedFrom(entries, imports) }
}

/** The paths of the files that a file imports, statically or not. */
function importsOf(file, text) {
  const { module } = parseSync(file, text)
  const names = [
    ...module.staticImports
      .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
      .map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest, isType }) =>
        moduleRequest && !isType ? [moduleRequest.value] : [],
      ),
    ),
    ...module.dynamicImports.map(({ moduleRequest: { start, end } }) =>
      text.slice(start + 1, end - 1),
    ),
  ]
  return names
    .filter((name) => name.startsWith('.'))
    .map((name) => posix.join(dirname(file), name.replace(/\?.*$/, '')))
}

function reachedFrom(entries, imports) {
  const reached = new Set()
  const open = [...entries]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (reached.has(file)) continue
    reached.add(file)
    open.push(...(imports.get(file) ?? []))
  }
  return reached
}
