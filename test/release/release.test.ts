import { execFile } from 'node:child_process'
import { readdir, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { describe, test } from 'vitest'
import { aFolder, fromRoot, runNode } from '../support/cli.ts'
import type { Outcome } from '../support/cli.ts'

/** `npm run release` in small packages that are git repositories of their own. */

const CHANGELOG = `# Changelog

## [Unreleased]

### Added

- Something.

## [1.2.3] - 2026-01-01

- The beginning.
`

const PACKAGE = {
  name: 'released',
  version: '1.2.3',
  repository: { type: 'git', url: 'git+https://git.example/released.git' },
  scripts: {
    version: 'node write-version.js',
    test: 'node check.js tested',
    check: 'node check.js checked',
    site: 'node write-site.js',
  },
}

/** A file that has the version too, like src/contract/version.ts. */
const WRITE_VERSION = `require('node:fs').writeFileSync('version.txt', require('./package.json').version)`

/** A check that fails if there is a file `broken`, or if the version was not written everywhere. */
const CHECK = `const { existsSync, readFileSync } = require('node:fs')
const { version } = require('./package.json')
const versions = [readFileSync('version.txt', 'utf8'), require('./package-lock.json').version]
if (existsSync('broken') || versions.some((other) => other !== version)) process.exit(1)
console.log(process.argv[2], version)
`

/** Writes a site, with its base: `--base /base/ --out folder`. */
const WRITE_SITE = `const [, , , base, , out] = process.argv
require('node:fs').mkdirSync(out)
require('node:fs').writeFileSync(out + '/index.html', base)`

/** The digest of an empty text. */
const DIGEST = 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

const DOCKERFILE = `# The image.\nFROM node:24-slim@${DIGEST}\n`

function aLock(root: Record<string, unknown>): string {
  return JSON.stringify({ ...root, lockfileVersion: 3, requires: true, packages: { '': root } })
}

interface Repository extends AsyncDisposable {
  git: (...args: string[]) => Promise<string>
  list: (folder: string) => Promise<string[]>
  read: (name: string) => Promise<string>
  write: (name: string, text: string) => Promise<void>
  release: (...args: string[]) => Promise<Outcome>
}

/** A package on the branch main, with a commit. */
async function aRepository({
  files = {},
  env: own = {},
}: {
  files?: Record<string, string>
  env?: Record<string, string>
} = {}): Promise<Repository> {
  const home = await aFolder({
    '.npmrc': 'registry=http://127.0.0.1:9\nfetch-retries=0\nupdate-notifier=false\n',
  })
  const folder = await aFolder({
    'package.json': JSON.stringify(PACKAGE),
    'package-lock.json': aLock(PACKAGE),
    '.gitignore': '/release/\n',
    'version.txt': PACKAGE.version,
    'write-version.js': WRITE_VERSION,
    'check.js': CHECK,
    'CHANGELOG.md': CHANGELOG,
    'write-site.js': WRITE_SITE,
    'site/package.json': '{}',
    'site/package-lock.json': aLock({}),
    'docs/hosting/Dockerfile': DOCKERFILE,
    ...files,
  })
  const cwd = folder.path()
  const env = { HOME: home.path(), GIT_CONFIG_NOSYSTEM: '1', ...own }
  const git = async (...args: string[]) => {
    const options = { cwd, env: { PATH: process.env['PATH'], ...env } }
    return (await promisify(execFile)('git', args, options)).stdout.trimEnd()
  }
  await git('init', '--quiet', '--initial-branch', 'main')
  await git('config', 'user.name', 'Maja Holm')
  await git('config', 'user.email', 'maja@example.com')
  await git('add', '.')
  await git('commit', '--quiet', '--message', 'Begin')
  return {
    git,
    list: async (name) => (await readdir(folder.path(name))).toSorted(),
    read: folder.read,
    write: (file, text) => writeFile(folder.path(file), text),
    release: (...args) => runNode([fromRoot('scripts/release.js'), ...args], { cwd, env }),
    [Symbol.asyncDispose]: async () => {
      await folder[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    },
  }
}

describe.concurrent('a release', () => {
  test('moves the changelog, sets the version, runs the checks, commits, tags, and says how to publish', async ({
    expect,
  }) => {
    await using repository = await aRepository()
    const before = new Date().toISOString().slice(0, 10)
    const { code, stdout } = await repository.release('minor')
    const after = new Date().toISOString().slice(0, 10)

    expect(code).toBe(0)
    expect(stdout).toMatch(/tested 1\.3\.0\n[^]*checked 1\.3\.0\n/)
    expect(stdout).toMatch(
      /\n1\.3\.0 is tagged, .*\n.*: npm publish \.\/release\/released-1\.3\.0\.tgz, .*: git push --follow-tags\n.*: git push --follow-tags; .*\n$/,
    )
    const changelogs = [before, after].map((today) =>
      CHANGELOG.replace('[Unreleased]\n', `[Unreleased]\n\n## [1.3.0] - ${today}\n`),
    )
    expect(changelogs).toContain(await repository.read('CHANGELOG.md'))
    expect(await repository.git('status', '--porcelain')).toBe('')
    expect(await repository.git('log', '--format=%s by %an')).toBe(
      'Release 1.3.0 by Maja Holm\nBegin by Maja Holm',
    )
    expect(await repository.git('show', '--format=', '--name-only')).toBe(
      'CHANGELOG.md\npackage-lock.json\npackage.json\nversion.txt',
    )
    expect(await repository.git('cat-file', '-t', 'v1.3.0')).toBe('tag')
    expect(await repository.git('rev-parse', 'v1.3.0^{}')).toBe(
      await repository.git('rev-parse', 'HEAD'),
    )
  })

  test('prepares the package, its notes, the context of the image and the site from its tag alone', async ({
    expect,
  }) => {
    await using repository = await aRepository()
    const { code } = await repository.release('minor')
    expect(code).toBe(0)
    expect(await repository.list('release')).toEqual([
      'image',
      'notes.md',
      'released-1.3.0.tgz',
      'site',
    ])
    expect(await repository.read('release/notes.md')).toBe('### Added\n\n- Something.\n')
    expect(await repository.read('release/site/index.html')).toBe('/released/')
    expect(await repository.list('release/image')).toEqual(['Dockerfile', 'released-1.3.0.tgz'])
    expect(await repository.read('release/image/Dockerfile')).toBe(DOCKERFILE)

    // Again, regardless of the working tree.
    const tarball = await repository.git('hash-object', 'release/released-1.3.0.tgz')
    await repository.write('CHANGELOG.md', '')
    await repository.write('write-site.js', 'process.exit(1)')
    await repository.write('release/left', '')
    expect(await repository.release('prepare', 'v1.3.0')).toMatchObject({ code: 0 })
    expect(await repository.list('release')).not.toContain('left')
    expect(await repository.read('release/notes.md')).toBe('### Added\n\n- Something.\n')
    expect(await repository.git('hash-object', 'release/released-1.3.0.tgz')).toBe(tarball)
  })

  test('whose site cannot be built keeps its tag, and says how to go on', async ({ expect }) => {
    await using repository = await aRepository({ files: { 'write-site.js': 'process.exit(1)' } })
    const { code, stderr } = await repository.release('1.2.3')
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^release: "npm run site .*" failed\. .* run "node scripts\/release\.js prepare v1\.2\.3"\.$/m,
    )
    expect(await repository.git('tag')).toBe('v1.2.3')
  })

  test('that is a dry run does the same in a clone, and changes nothing', async ({ expect }) => {
    await using repository = await aRepository()
    const stateOf = async () => [
      await repository.git('status', '--porcelain', '--ignored'),
      await repository.git('for-each-ref'),
      await repository.git('config', '--list', '--local'),
    ]
    const before = await stateOf()
    const { code, stdout } = await repository.release('2.0.0', '--dry-run')

    expect(code).toBe(0)
    const steps = stdout
      .split('\n')
      .filter((line) => /^> (npm|git|CHANGELOG)/.test(line))
      .map((line) => line.replaceAll(/\S+\/release(?=[ /]|$)/g, 'release'))
    expect(steps).toEqual([
      '> npm ci --prefer-offline --no-audit',
      '> CHANGELOG.md: the unreleased entries become those of 2.0.0',
      '> npm version --no-git-tag-version --allow-same-version 2.0.0',
      '> npm test',
      '> npm run check',
      '> git commit --all --message "Release 2.0.0"',
      '> git tag --annotate v2.0.0 --message "Release 2.0.0"',
      '> npm ci --prefer-offline --no-audit --no-fund',
      '> npm pack --loglevel=error --pack-destination release',
      '> npm ci --prefer-offline --no-audit --no-fund --prefix site',
      '> npm run site -- --base /released/ --out release/site',
    ])
    expect(stdout).toMatch(/tested 2\.0\.0\n[^]*checked 2\.0\.0\n[^]*released-2\.0\.0\.tgz\n/)
    expect(stdout).toMatch(/\n2\.0\.0 can be released: .* nothing here has changed\.\n$/)
    expect(await stateOf()).toEqual(before)
  })

  test('whose checks fail says how to undo its changes, and commits nothing', async ({
    expect,
  }) => {
    await using repository = await aRepository({ files: { broken: '' } })
    const { code, stderr } = await repository.release('patch')
    expect([code, stderr]).toEqual([
      1,
      'release: "npm test" failed. Nothing is committed: undo the changes with "git restore .".\n',
    ])
    expect(await repository.git('tag')).toBe('')
    await repository.git('restore', '.')
    expect(await repository.git('status', '--porcelain')).toBe('')
  })

  test('that is a dry run by an option of npm, and fails, changes nothing', async ({ expect }) => {
    await using repository = await aRepository({
      files: {
        'check.js': `console.log('npm has', process.env.npm_config_dry_run); process.exit(1)`,
      },
      env: { npm_config_dry_run: 'true' },
    })
    const { code, stdout, stderr } = await repository.release('patch')
    // With the option, `npm ci` would install nothing in the clone.
    expect(stdout).toContain('npm has undefined')
    expect([code, stderr]).toEqual([
      1,
      'release: "npm test" failed. This was in a temporary clone, and nothing here has changed.\n',
    ])
    expect(await repository.git('status', '--porcelain')).toBe('')
  })
})

describe.concurrent('no release is begun', () => {
  test.for<[title: string, prepare: (repository: Repository) => Promise<unknown>, message: string]>(
    [
      [
        'with a change that is not committed',
        ({ write }) => write('check.js', ''),
        'The working tree is not clean: commit or remove the following, then release again.\n M check.js',
      ],
      [
        'with a new file',
        ({ write }) => write('new.js', ''),
        'The working tree is not clean: commit or remove the following, then release again.\n?? new.js',
      ],
      [
        'from another branch',
        ({ git }) => git('switch', '--quiet', '--create', 'topic'),
        'The current branch is "topic", and releases are made from main: run "git switch main".',
      ],
      [
        'with a tag that exists',
        ({ git }) => git('tag', 'v1.3.0'),
        'The tag v1.3.0 exists already: choose a newer version.',
      ],
      [
        'without unreleased entries',
        async ({ write, git }) => {
          await write('CHANGELOG.md', '# Changelog\n\n## [Unreleased]\n\n## [1.2.3]\n\n- Old.\n')
          await git('commit', '--all', '--message', 'Empty')
        },
        'CHANGELOG.md:3 has no entries below "## [Unreleased]": add a line "- …" for each change that users notice.',
      ],
      [
        'without a place for unreleased entries',
        async ({ write, git }) => {
          await write('CHANGELOG.md', '# Changelog\n\n## [1.2.3]\n\n- Old.\n')
          await git('commit', '--all', '--message', 'Empty')
        },
        'CHANGELOG.md has no line "## [Unreleased]": add it, with the changes of this release below.',
      ],
      [
        'without the address of the repository',
        async ({ write, git }) => {
          const { repository: _, ...others } = PACKAGE
          await write('package.json', JSON.stringify(others))
          await git('commit', '--all', '--message', 'Move')
        },
        'package.json does not say where the repository is: run "npm pkg set repository.type=git repository.url=git+https://HOST/OWNER/NAME.git" and "npm run generate", then commit.',
      ],
      [
        'without the digest of the image that the image is built on',
        async ({ write, git }) => {
          await write('docs/hosting/Dockerfile', '# The image.\nFROM node:24-slim\n')
          await git('commit', '--all', '--message', 'Forget')
        },
        `docs/hosting/Dockerfile:2 names node:24-slim without its digest: write "FROM node:24-slim@sha256:…" with the digest that "docker buildx imagetools inspect node:24-slim" prints, then commit.`,
      ],
      [
        'without a changelog',
        ({ git }) =>
          git('rm', '--quiet', 'CHANGELOG.md').then(() => git('commit', '--message', 'Remove')),
        'There is no CHANGELOG.md in ',
      ],
    ],
  )('%s', async ([, prepare, message], { expect }) => {
    await using repository = await aRepository()
    await prepare(repository)
    const before = await repository.git('status', '--porcelain')
    const { code, stdout, stderr } = await repository.release('minor')
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(message)
    expect(await repository.git('status', '--porcelain')).toBe(before)
  })

  test.for<[line: string, code: number, message: string]>([
    ['1.2.2', 1, '1.2.2 is older than 1.2.3, the version in package.json: choose a newer one.'],
    ['', 2, '"" is not a release: write "npm run release --" and then major, minor, patch or a'],
    ['v2.0.0', 2, '"v2.0.0" is not a release:'],
    ['major minor', 2, '"major minor" is not a release:'],
    ['minor --dry', 2, "Unknown option '--dry'."],
  ])('by "%s"', async ([line, code, message], { expect }) => {
    await using folder = await aFolder({ 'package.json': JSON.stringify(PACKAGE) })
    const args = [fromRoot('scripts/release.js'), ...line.split(' ').filter((part) => part !== '')]
    const outcome = await runNode(args, { cwd: folder.path() })
    expect([outcome.code, outcome.stdout]).toEqual([code, ''])
    expect(outcome.stderr).toContain(`release: ${message}`)
  })
})

describe.concurrent('nothing is prepared', () => {
  test.for<[title: string, prepare: (repository: Repository) => Promise<unknown>, message: string]>(
    [
      ['without a tag', async () => {}, 'release: "git clone" failed: '],
      [
        'of a tag that names another version',
        ({ git }) => git('tag', 'v9.9.9'),
        'release: The tag v9.9.9 has version 1.2.3 in its package.json: make the tag with "npm run release -- 9.9.9".',
      ],
      [
        'of a version that the changelog does not have',
        async ({ git, write }) => {
          await write('package.json', JSON.stringify({ ...PACKAGE, version: '9.9.9' }))
          await git('commit', '--all', '--message', 'Set the version by hand')
          await git('tag', 'v9.9.9')
        },
        'release: CHANGELOG.md has no section "## [9.9.9]": make the tag with "npm run release -- 9.9.9".',
      ],
    ],
  )('%s', async ([, prepare, message], { expect }) => {
    await using repository = await aRepository()
    await prepare(repository)
    const { code, stderr } = await repository.release('prepare', 'v9.9.9')
    expect(code).toBe(1)
    expect(stderr).toContain(message)
    expect(await repository.list('.')).not.toContain('release')
  })
})

test('--help shows how to release', async ({ expect }) => {
  const { code, stdout } = await runNode([fromRoot('scripts/release.js'), '--help'], {
    cwd: fromRoot('.'),
  })
  expect([code, stdout]).toEqual([0, expect.stringContaining('<major|minor|patch|x.y.z>')])
})

test('a package that is not prepared is not staged', async ({ expect }) => {
  await using repository = await aRepository()
  expect(await repository.release('stage')).toMatchObject({
    code: 1,
    stderr:
      'release: There is no ./release/released-1.2.3.tgz: write it with "node scripts/release.js prepare v1.2.3".\n',
  })
})
