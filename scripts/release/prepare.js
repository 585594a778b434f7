import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { notesOf } from './changelog.js'
import { DOCKERFILE, readIn, repositoryOf, requireDigest } from './requirements.js'
import { git, ReleaseError, run } from './steps.js'

/** Folder of the files to publish, in that of the package; version control ignores it. */
const PREPARED = 'release'

/**
 * The path of the tarball for npm: without the dot it would be a repository on GitHub.
 *
 * @param {string} tarball
 */
export function pathOf(tarball) {
  return `./${PREPARED}/${tarball}`
}

/**
 * Prepares the files to publish for a tag, from the files of that tag alone: the tarball of the package, its release notes,
 * the context of the image, and the site.
 *
 * @param {string} tag
 * @param {string} folder the clone that has the tag, in which `release/` is written
 */
export function prepareRelease(tag, folder = '.') {
  const source = mkdtempSync(join(tmpdir(), 'release-'))
  try {
    const advice = `Nothing is published, and ${PREPARED}/ is incomplete: when it is fixed, run "node scripts/release.js prepare ${tag}"`
    git(
      'clone',
      '--quiet',
      '--branch',
      tag,
      '--config',
      'advice.detachedHead=false',
      folder,
      source,
    )
    const { name, version } = JSON.parse(readIn(source, 'package.json'))
    if (tag !== `v${version}`) {
      throw new ReleaseError(
        `The tag ${tag} has version ${version} in its package.json: make the tag with "npm run release -- ${tag.replace(/^v/, '')}".`,
      )
    }
    const repository = repositoryOf(source)
    requireDigest(source)
    const notes = notesOf(readIn(source, 'CHANGELOG.md'), version)

    const prepared = resolve(folder, PREPARED)
    const image = join(prepared, 'image')
    rmSync(prepared, { recursive: true, force: true })
    mkdirSync(image, { recursive: true })
    const inSource = { folder: source, advice }
    const ci = ['npm', 'ci', '--prefer-offline', '--no-audit', '--no-fund']
    run(ci, inSource)
    run(['npm', 'pack', '--loglevel=error', '--pack-destination', prepared], inSource)
    const tarball = `${name}-${version}.tgz`
    copyFileSync(join(prepared, tarball), join(image, tarball))
    copyFileSync(join(source, DOCKERFILE), join(image, 'Dockerfile'))
    run([...ci, '--prefix', 'site'], inSource)
    const base = `/${repository.replace(/^.*\//, '').replace(/\.git$/, '')}/`
    run(['npm', 'run', 'site', '--', '--base', base, '--out', join(prepared, 'site')], inSource)
    writeFileSync(join(prepared, 'notes.md'), notes)
    console.log(`\n${PREPARED}/ has ${readdirSync(prepared).join(', ')}.`)
    return pathOf(tarball)
  } finally {
    rmSync(source, { recursive: true, force: true })
  }
}
