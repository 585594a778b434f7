import { mkdir, symlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { fromRoot } from '../support/cli.ts'
import type { Folder } from '../support/cli.ts'

/** This package and its dependencies, including those for development: the folder of each. */
const PACKAGES = [
  ['seo-sandbox', fromRoot('.')],
  ...Object.keys({ ...packageJson.dependencies, ...packageJson.devDependencies }).map((name) => [
    name,
    fromRoot(`node_modules/${name}`),
  ]),
] as [name: string, source: string][]

/**
 * The `node_modules` of a project that has installed the package, if that is tested in place of the build: `.ci/published`
 * sets it.
 */
export const { INSTALLED } = process.env

/** Links everything that a reader of the guides would install. */
export async function installPackages(folder: Folder): Promise<void> {
  if (INSTALLED !== undefined) return symlink(INSTALLED, folder.path('node_modules'))
  for (const [name, source] of PACKAGES) {
    const target = folder.path(`node_modules/${name}`)
    await mkdir(dirname(target), { recursive: true })
    await symlink(source, target, 'junction')
  }
}
