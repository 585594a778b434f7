import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ReleaseError } from './steps.js'

/** Facts that only the owner of the package knows, and sets once: docs/releasing.md. */

export const DOCKERFILE = 'docs/hosting/Dockerfile'

/**
 * The address of the repository. Without it, the links of the README lead nowhere on npm, and the site does not know its
 * path.
 *
 * @param {string} folder
 */
export function repositoryOf(folder) {
  const { repository } = JSON.parse(readIn(folder, 'package.json'))
  if (repository?.url) return /** @type {string} */ (repository.url)
  throw new ReleaseError(
    'package.json does not say where the repository is: run "npm pkg set repository.type=git repository.url=git+https://HOST/OWNER/NAME.git" and "npm run generate", then commit.',
  )
}

/**
 * Requires a digest of the base image. A tag can be moved: the same release would be another image tomorrow.
 *
 * @param {string} folder
 */
export function requireDigest(folder) {
  const lines = readIn(folder, DOCKERFILE).split('\n')
  for (const [index, line] of lines.entries()) {
    const [, base] = /^FROM (\S+)/.exec(line) ?? []
    if (base === undefined || /@sha256:[0-9a-f]{64}$/.test(base)) continue
    throw new ReleaseError(
      `${DOCKERFILE}:${index + 1} names ${base} without its digest: write "FROM ${base}@sha256:…" with the digest that "docker buildx imagetools inspect ${base}" prints, then commit.`,
    )
  }
}

/**
 * @param {string} folder
 * @param {string} name
 */
export function readIn(folder, name) {
  try {
    return readFileSync(join(folder, name), 'utf8')
  } catch {
    throw new ReleaseError(
      `There is no ${name} in ${folder === '.' ? process.cwd() : folder}: run this in the folder of a package.`,
    )
  }
}
