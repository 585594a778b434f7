import { mkdir, symlink } from 'node:fs/promises'
import { aFolder, fromRoot } from '../support/cli.ts'
import type { Folder } from '../support/cli.ts'

/** A project with these npm scripts, in which seo-sandbox is installed. */
export async function aProject(scripts: Record<string, string>): Promise<Folder> {
  const folder = await aFolder({ 'package.json': JSON.stringify({ scripts }) })
  await mkdir(folder.path('node_modules/.bin'), { recursive: true })
  await symlink(fromRoot('.'), folder.path('node_modules/seo-sandbox'))
  await symlink('../seo-sandbox/bin/seo-sandbox.js', folder.path('node_modules/.bin/seo-sandbox'))
  return folder
}
