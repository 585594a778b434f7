import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fromRoot } from '../../support/cli.ts'
import { BUILT } from '../../support/dist.ts'

/** This release with a change. */
interface Release extends AsyncDisposable {
  bin: string
}

/** Makes a release with the next format of logs: in the functions of Redis, and in the data that replicas write. */
export function makeNewerRelease(): Promise<Release> {
  return makeRelease(/\bformat = (\d+)/g, 2)
}

/** Makes a release whose reviews are of the next version. */
export function makeReleaseWithOtherChecks(): Promise<Release> {
  return makeRelease(/\bstatic version = (\d+)/g, 1)
}

/** Makes a release by incrementing a number that the build wrote into `files` files. */
async function makeRelease(number: RegExp, files: number): Promise<Release> {
  const folder = await mkdtemp(join(tmpdir(), 'seo-sandbox-release-'))
  for (const name of ['bin', 'dist', 'package.json']) {
    await cp(fromRoot(name), join(folder, name), { recursive: true })
  }
  await symlink(fromRoot('node_modules'), join(folder, 'node_modules'))
  let changed = 0
  for (const name of BUILT.filter((one) => dirname(one) === 'shared')) {
    const file = join(folder, 'dist', name)
    const text = await readFile(file, 'utf8')
    const other = text.replaceAll(number, (found, digits) =>
      found.replace(digits, String(Number(digits) + 1)),
    )
    if (other === text) continue
    await writeFile(file, other)
    changed += 1
  }
  if (changed !== files) throw new Error(`${number} is in ${changed} files of dist.`)
  return {
    bin: join(folder, 'bin/seo-sandbox.js'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}
