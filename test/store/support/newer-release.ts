import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LOG_FORMAT } from '../../../src/store/log-functions.ts'
import { fromRoot } from '../../support/cli.ts'

/** This release as one that writes the next format of logs. */
interface Release extends AsyncDisposable {
  bin: string
}

export async function makeNewerRelease(): Promise<Release> {
  const folder = await mkdtemp(join(tmpdir(), 'seo-sandbox-release-'))
  for (const name of ['bin', 'dist', 'package.json']) {
    await cp(fromRoot(name), join(folder, name), { recursive: true })
  }
  await symlink(fromRoot('node_modules'), join(folder, 'node_modules'))
  const shared = join(folder, 'dist/shared')
  let raised = 0
  for (const name of await readdir(shared)) {
    const file = join(shared, name)
    const text = await readFile(file, 'utf8')
    const newer = text.replaceAll(`format = ${LOG_FORMAT}`, `format = ${LOG_FORMAT + 1}`)
    if (newer === text) continue
    await writeFile(file, newer)
    raised += 1
  }
  // Those of the functions in Redis, and of what replicas write.
  if (raised !== 2) throw new Error(`The format of logs stands in ${raised} files of dist.`)
  return {
    bin: join(folder, 'bin/seo-sandbox.js'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}
