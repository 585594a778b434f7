import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Reviewer } from '../../../src/review/reviewer.ts'
import { LOG_FORMAT } from '../../../src/store/log-functions.ts'
import { fromRoot } from '../../support/cli.ts'
import { BUILT } from '../../support/dist.ts'

/** This release with a change. */
interface Release extends AsyncDisposable {
  bin: string
}

/** One that writes the next format of logs: in the functions of Redis, and in what replicas write. */
export function makeNewerRelease(): Promise<Release> {
  return makeRelease({ from: `format = ${LOG_FORMAT}`, to: `format = ${LOG_FORMAT + 1}`, files: 2 })
}

/** One whose reviews are of the next version. */
export function makeReleaseWithOtherChecks(): Promise<Release> {
  const { version } = Reviewer
  return makeRelease({
    from: `static version = ${version}`,
    to: `static version = ${version + 1}`,
    files: 1,
  })
}

async function makeRelease({
  from,
  to,
  files,
}: {
  from: string
  to: string
  files: number
}): Promise<Release> {
  const folder = await mkdtemp(join(tmpdir(), 'seo-sandbox-release-'))
  for (const name of ['bin', 'dist', 'package.json']) {
    await cp(fromRoot(name), join(folder, name), { recursive: true })
  }
  await symlink(fromRoot('node_modules'), join(folder, 'node_modules'))
  let changed = 0
  for (const name of BUILT.filter((one) => dirname(one) === 'shared')) {
    const file = join(folder, 'dist', name)
    const text = await readFile(file, 'utf8')
    const other = text.replaceAll(from, to)
    if (other === text) continue
    await writeFile(file, other)
    changed += 1
  }
  if (changed !== files) throw new Error(`"${from}" is in ${changed} files of dist.`)
  return {
    bin: join(folder, 'bin/seo-sandbox.js'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}
