import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * The files of code that Node processes load, as URLs, taken from V8's coverage. `work` starts the processes
 * with the environment that it is given, and waits until they have exited.
 */
export async function listLoadedFiles(work) {
  const folder = await mkdtemp(join(tmpdir(), 'seo-sandbox-bench-'))
  try {
    await work({ NODE_V8_COVERAGE: folder })
    const names = await readdir(folder)
    const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
    const urls = texts.flatMap((text) => JSON.parse(text).result.map(({ url }) => url))
    return [...new Set(urls.filter(isFile))]
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Code of `--eval` has a URL too. */
function isFile(url) {
  return url.startsWith('file:') && !/\/\[eval\d*\]$/.test(url)
}
