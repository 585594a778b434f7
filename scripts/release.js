import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

/** Releases the package of the current folder: `npm run release`. */

const HELP = `Usage: npm run release -- <major|minor|patch|x.y.z> [--dry-run]

Releases the package of the current folder: sets the version, moves the unreleased entries of CHANGELOG.md under it, runs
"npm test" and "npm run check", commits, tags and publishes. The last line says how to push.

  --dry-run   do all of it in a temporary clone, with "npm publish --dry-run": nothing here changes
  --help      show this text`

const HEADING = '## [Unreleased]'
const BRANCH = 'main'

/** Why there is no release, and what to do. */
class ReleaseError extends Error {
  /**
   * @param {string} message
   * @param {number} exitCode 2 for a command line that cannot be understood
   */
  constructor(message, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

try {
  main()
} catch (error) {
  if (!(error instanceof ReleaseError)) throw error
  console.error(`release: ${error.message}`)
  process.exitCode = error.exitCode
}

function main() {
  const { wanted, help, dryRun } = readCommandLine()
  if (help) {
    console.log(HELP)
    return
  }
  const { version: current, repository } = JSON.parse(read('package.json'))
  const version = nextVersion(wanted, current)
  checkAddress(repository)
  checkRepository(version)
  const changelog = withVersion(read('CHANGELOG.md'), version)
  if (dryRun) rehearse(version, changelog)
  else release(version, changelog)
}

function readCommandLine() {
  const { values, positionals } = parseCommandLine()
  const [wanted = ''] = positionals
  const isVersion = /^(?:major|minor|patch|(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2})$/.test(wanted)
  if (!values.help && (!isVersion || positionals.length > 1)) {
    throw new ReleaseError(
      `"${positionals.join(' ')}" is not a release: write "npm run release --" and then major, minor, patch or a version such as 1.2.3.`,
      2,
    )
  }
  // Without the `--`, npm keeps the option to itself: `npm run release minor --dry-run`.
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

/** @param {string} name */
function read(name) {
  try {
    return readFileSync(name, 'utf8')
  } catch {
    throw new ReleaseError(`${process.cwd()} has no ${name}: run this in the folder of a package.`)
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
  // It may be the current version, which is possibly not released yet: a tag would say so.
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

/**
 * Without it, the links of the README lead nowhere on npm.
 *
 * @param {{ url?: string } | undefined} repository
 */
function checkAddress(repository) {
  if (repository?.url) return
  throw new ReleaseError(
    'package.json does not say where the repository is: run "npm pkg set repository.type=git repository.url=git+https://HOST/OWNER/NAME.git" and "npm run generate", then commit.',
  )
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
 * The changelog with the unreleased entries under the version and the date in UTC.
 *
 * @param {string} changelog
 * @param {string} version
 */
function withVersion(changelog, version) {
  const lines = changelog.split('\n')
  const start = lines.findIndex((line) => line.trim() === HEADING)
  if (start === -1) {
    throw new ReleaseError(
      `CHANGELOG.md has no line "${HEADING}": add it, with the changes of this release below.`,
    )
  }
  const below = lines.slice(start + 1)
  const next = below.findIndex((line) => line.startsWith('## '))
  const entries = next === -1 ? below : below.slice(0, next)
  if (!entries.some((line) => /^[-*] /.test(line))) {
    throw new ReleaseError(
      `CHANGELOG.md:${start + 1} has no entries below "${HEADING}": add a line "- …" for each change that users notice.`,
    )
  }
  const today = new Date().toISOString().slice(0, 10)
  return lines.toSpliced(start + 1, 0, '', `## [${version}] - ${today}`).join('\n')
}

/**
 * @param {string} version
 * @param {string} changelog
 */
function release(version, changelog) {
  prepare('.', version, changelog, {
    advice: 'Nothing is committed or published: undo the changes with "git restore ."',
  })
  run(['npm', 'publish'], {
    advice: `The commit and the tag v${version} are made: when it is fixed, run "npm publish" and "git push --follow-tags"`,
  })
  console.log(`\nReleased ${version}. Push the commit and the tag: git push --follow-tags`)
}

/**
 * The same in a temporary clone.
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
    prepare(clone, version, changelog, { advice })
    run(['npm', 'publish', '--dry-run'], { folder: clone, advice })
  } finally {
    rmSync(clone, { recursive: true })
  }
  console.log(
    `\n${version} can be released: all of this was in a temporary clone, and nothing here has changed.`,
  )
}

/**
 * Everything until the tag.
 *
 * @param {string} folder
 * @param {string} version
 * @param {string} changelog
 * @param {{ advice: string }} failure
 */
function prepare(folder, version, changelog, { advice }) {
  const message = `Release ${version}`
  const at = { folder, advice }
  run(['npm', 'version', '--no-git-tag-version', '--allow-same-version', version], at)
  console.log(`\n> CHANGELOG.md: the unreleased entries become those of ${version}`)
  writeFileSync(join(folder, 'CHANGELOG.md'), changelog)
  run(['npm', 'test'], at)
  run(['npm', 'run', 'check'], at)
  run(['git', 'commit', '--all', '--message', message], at)
  run(['git', 'tag', '--annotate', `v${version}`, '--message', message], at)
}

/**
 * Runs a step, and shows it with its output.
 *
 * @param {string[]} line
 * @param {{ folder?: string, advice: string }} options what to do where it fails
 */
function run([program = '', ...args], { folder = '.', advice }) {
  const line = [program, ...args].map((part) => (part.includes(' ') ? `"${part}"` : part)).join(' ')
  console.log(`\n> ${line}`)
  const { npm_config_dry_run: _, ...env } = process.env
  const { status, error } = spawnSync(program, args, { cwd: folder, env, stdio: 'inherit' })
  if (status === 0) return
  throw new ReleaseError(`"${line}" failed${error ? ` (${error.message})` : ''}. ${advice}.`)
}

/**
 * The output of git.
 *
 * @param {string[]} args
 */
function git(...args) {
  const { status, stdout, stderr, error } = spawnSync('git', args, { encoding: 'utf8' })
  if (status === 0) return stdout.trimEnd()
  throw new ReleaseError(`"git ${args[0]}" failed: ${error?.message ?? stderr.trim()}`)
}
