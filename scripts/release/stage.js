import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { pathOf } from './prepare.js'
import { readIn } from './requirements.js'
import { ReleaseError, run } from './steps.js'

/** A version that stages packages, regardless of the npm that comes with Node: 11.15 is the first that does. */
const NPM = 'npm@11.21.2'

/**
 * Stages the prepared package, for a person to approve, with its provenance. The first version is published by hand,
 * because npm can trust a workflow only with a package that exists. Does nothing for a version that is already published.
 *
 * @param {{ dryRun: boolean }} options
 */
export function stageRelease({ dryRun }) {
  const { name, version } = JSON.parse(readIn('.', 'package.json'))
  const tarball = pathOf(`${name}-${version}.tgz`)
  if (!existsSync(tarball)) {
    throw new ReleaseError(
      `There is no ${tarball}: write it with "node scripts/release.js prepare v${version}".`,
    )
  }
  if (isPublished(`${name}@${version}`)) {
    console.log(`${name}@${version} is published already: there is nothing to stage.`)
    return
  }
  const options = dryRun ? ['--dry-run'] : ['--provenance']
  run(['npx', '--yes', NPM, 'stage', 'publish', tarball, '--access', 'public', ...options], {
    advice: 'Nothing is staged: when it is fixed, run this job again',
  })
}

/** @param {string} version of a package, as name@version */
function isPublished(version) {
  const args = ['view', version, 'version', '--loglevel=error']
  const { status, stdout, stderr, error } = spawnSync('npm', args, { encoding: 'utf8' })
  if (status === 0) return stdout.trim() !== ''
  if (stderr.includes('E404')) return false
  throw new ReleaseError(
    `"npm view ${version}" failed, so that nothing is staged: ${error?.message ?? stderr.trim()}`,
  )
}
