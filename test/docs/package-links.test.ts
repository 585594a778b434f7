import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { fromRoot } from '../support/cli.ts'
import { findBrokenLinks, readLinks, REPOSITORY } from './links.ts'

/** The links of the pages in the package, which readers have without the repository. */

test('every link in the packed tarball leads to a file in it', async () => {
  const files = await listPacked()
  const pages = files.filter((file) => file.endsWith('.md'))
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'docs/README.md']))
  const links = pages.flatMap((page) => readLinks(page, REPOSITORY.read(page)))
  const has = (path: string) => files.some((file) => `${file}/`.startsWith(`${path}/`))
  const broken = findBrokenLinks(links, { ...REPOSITORY, has })
  expect(broken).toEqual([])
})

/** The files that npm would pack. */
async function listPacked(): Promise<string[]> {
  const { stdout } = await promisify(execFile)(
    'npm',
    ['pack', '--dry-run', '--ignore-scripts', '--json', '--loglevel=error'],
    { cwd: fromRoot('.'), maxBuffer: 16 * 1024 * 1024 },
  )
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }]
  return files.map(({ path }) => path)
}
