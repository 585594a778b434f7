import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { withVersion } from './release/changelog.js'
import { prepareRelease } from './release/prepare.js'
import { readIn, repositoryOf, requireDigest } from './release/requirements.js'
import { stageRelease } from './release/stage.js'
import { git, ReleaseError, run } from './release/steps.js'

/** Makes a release of the package of the current folder, without publishing it: `npm run release`. */

const HELP = `Usage: npm run release -- <major|minor|patch|x.y.z> [--dry-run]
       node scripts/release.js prepare <tag>
       node scripts/release.js stage [--dry-run]

Makes a release of the package of the current folder: moves the unreleased entries of CHANGELOG.md under its version, sets the
version, runs "npm test" and "npm run check", commits and tags. Then it prepares, from the files of the tag alone, what is
published: the package, its notes, the context of the image and the site, in release/. The last lines say how to publish.

  prepare <tag>  only prepare what is published of a tag, as the workflow of a release does
  stage          stage the prepared package on npm, unless this version is published
  --dry-run      do all of it in a temporary clone: nothing here changes
  --help         show this text`

const BRANCH = 'main'

try {
  main()
} catch (error) {
  if (!(error instanceof ReleaseError)) throw error
  console.error(`release: ${error.message}`)
  process.exitCode = error.exitCode
}

function main() {
  const { wanted, tag, help, dryRun } = readCommandLine()
  if (help) {
    console.log(HELP)
    return
  }
  if (tag !== undefined) {
    prepareRelease(tag)
    return
  }
  if (wanted === 'stage') {
    stageRelease({ dryRun })
    return
  }
  const { version: current } = JSON.parse(readIn('.', 'package.json'))
  const version = nextVersion(wanted, current)
  repositoryOf('.')
  requireDigest('.')
  checkRepository(version)
  const changelog = withVersion(readIn('.', 'CHANGELOG.md'), version)
  if (dryRun) rehearse(version, changelog)
  else release(version, changelog)
}

function readCommandLine() {
  const { values, positionals } = parseCommandLine()
  const [wanted = '', tag] = positionals
  if (wanted === 'prepare' && positionals.length === 2) return { wanted, tag, dryRun: false }
  const isKnown = /^(?:stage|major|minor|patch|(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2})$/.test(wanted)
  if (!values.help && (!isKnown || positionals.length > 1)) {
    throw new ReleaseError(
      `"${positionals.join(' ')}" is not a release: write "npm run release --" and then major, minor, patch or a version such as 1.2.3.`,
      2,
    )
  }
  // Without the `--`, npm takes the option for its own: `npm run release minor --dry-run`.
  const dryRun = values['dry-run'] || process.env['npm_config_dry_run'] === 'true'
  return { wanted, help: values.help, dryRun }
}

function parseCommandLine() {
  try {
    return parseArgs({
      options: {
        'dry-run': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    })
  } catch (error) {
    const { message } = /** @type {Error} */ (error)
    throw new ReleaseError(`${message} "npm run release -- --help" shows the options.`, 2)
  }
}

/**
 * @param {string} wanted
 * @param {string} current
 */
function nextVersion(wanted, current) {
  const [major = 0, minor = 0, patch = 0] = numbersOf(current)
  if (wanted === 'major') return `${major + 1}.0.0`
  if (wanted === 'minor') return `${major}.${minor + 1}.0`
  if (wanted === 'patch') return `${major}.${minor}.${patch + 1}`
  // It may be the current version, which may not be released yet: a tag would say so.
  const [one = 0, two = 0, three = 0] = numbersOf(wanted)
  if ((one - major || two - minor || three - patch) < 0) {
    throw new ReleaseError(
      `${wanted} is older than ${current}, the version in package.json: choose a newer one.`,
    )
  }
  return wanted
}

/** @param {string} version */
function numbersOf(version) {
  return version.split('.').map((part) => Number.parseInt(part, 10))
}

/** @param {string} version */
function checkRepository(version) {
  const changes = git('status', '--porcelain')
  if (changes !== '') {
    throw new ReleaseError(
      `The working tree is not clean: commit or remove the following, then release again.\n${changes}`,
    )
  }
  const branch = git('branch', '--show-current')
  if (branch !== BRANCH) {
    throw new ReleaseError(
      `The current branch is "${branch}", and releases are made from ${BRANCH}: run "git switch ${BRANCH}".`,
    )
  }
  if (git('tag', '--list', `v${version}`) !== '') {
    throw new ReleaseError(`The tag v${version} exists already: choose a newer version.`)
  }
}

/**
 * @param {string} version
 * @param {string} changelog
 */
function release(version, changelog) {
  makeTag('.', version, changelog, {
    advice: 'Nothing is committed: undo the changes with "git restore ."',
  })
  const tarball = prepareRelease(`v${version}`)
  console.log(`
${version} is tagged, and nothing is published yet.
The first version: npm publish ${tarball}, and then: git push --follow-tags
Any later one: git push --follow-tags; the workflow stages the package for you to approve.`)
}

/**
 * Makes the release in a temporary clone.
 *
 * @param {string} version
 * @param {string} changelog
 */
function rehearse(version, changelog) {
  const advice = 'This was in a temporary clone, and nothing here has changed'
  const identity = /^(?<name>.*) <(?<email>.*)> /.exec(git('var', 'GIT_COMMITTER_IDENT'))
  const { name = '', email = '' } = identity?.groups ?? {}
  const clone = mkdtempSync(join(tmpdir(), 'release-'))
  try {
    git(
      'clone',
      '--quiet',
      '--config',
      `user.name=${name}`,
      '--config',
      `user.email=${email}`,
      '.',
      clone,
    )
    run(['npm', 'ci', '--prefer-offline', '--no-audit'], { folder: clone, advice })
    makeTag(clone, version, changelog, { advice })
    prepareRelease(`v${version}`, clone)
  } finally {
    rmSync(clone, { recursive: true })
  }
  console.log(
    `\n${version} can be released: all of this was in a temporary clone, and nothing here has changed.`,
  )
}

/**
 * Makes everything up to the tag. The changelog comes first: generated files say whether there has been a release.
 *
 * @param {string} folder
 * @param {string} version
 * @param {string} changelog
 * @param {{ advice: string }} failure
 */
function makeTag(folder, version, changelog, { advice }) {
  const message = `Release ${version}`
  const at = { folder, advice }
  console.log(`\n> CHANGELOG.md: the unreleased entries become those of ${version}`)
  writeFileSync(join(folder, 'CHANGELOG.md'), changelog)
  run(['npm', 'version', '--no-git-tag-version', '--allow-same-version', version], at)
  run(['npm', 'test'], at)
  run(['npm', 'run', 'check'], at)
  run(['git', 'commit', '--all', '--message', message], at)
  run(['git', 'tag', '--annotate', `v${version}`, '--message', message], at)
}
