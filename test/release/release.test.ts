import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { describe, test } from 'vitest'
import { aFolder, fromRoot, runNode } from '../support/cli.ts'
import type { Outcome } from '../support/cli.ts'

/** What `npm run release` does, in small packages that are git repositories of their own. */

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
  },
}

/** A file that has the version too, like src/contract/version.ts. */
const WRITE_VERSION = `require('node:fs').writeFileSync('version.txt', require('./package.json').version)`

/** A check that fails where there is a file \`broken\`, or where the version was not written everywhere. */
const CHECK = `const { existsSync, readFileSync } = require('node:fs')
const { version } = require('./package.json')
const versions = [readFileSync('version.txt', 'utf8'), require('./package-lock.json').version]
if (existsSync('broken') || versions.some((other) => other !== version)) process.exit(1)
console.log(process.argv[2], version)
`

interface Repository extends AsyncDisposable {
  git: (...args: string[]) => Promise<string>
  read: (name: string) => Promise<string>
  write: (name: string, text: string) => Promise<void>
  release: (...args: string[]) => Promise<Outcome>
}

/** A package on the branch main, with a commit and a registry to publish to. */
async function aRepository({
  files = {},
  registry = 'http://127.0.0.1:9',
  env: own = {},
}: {
  files?: Record<string, string>
  registry?: string
  env?: Record<string, string>
} = {}): Promise<Repository> {
  const { name, version } = PACKAGE
  const lock = { name, version, lockfileVersion: 3, requires: true, packages: { '': PACKAGE } }
  const home = await aFolder({
    '.npmrc': `registry=${registry}\n${registry.replace('http:', '')}/:_authToken=token\nfetch-retries=0\nupdate-notifier=false\n`,
  })
  const folder = await aFolder({
    'package.json': JSON.stringify(PACKAGE),
    'package-lock.json': JSON.stringify(lock),
    'version.txt': version,
    'write-version.js': WRITE_VERSION,
    'check.js': CHECK,
    'CHANGELOG.md': CHANGELOG,
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
  test('sets the version, moves the changelog, runs the checks, commits, tags and publishes', async ({
    expect,
  }) => {
    await using registry = await aRegistry()
    await using repository = await aRepository({ registry: registry.url })
    const before = new Date().toISOString().slice(0, 10)
    const { code, stdout } = await repository.release('minor')
    const after = new Date().toISOString().slice(0, 10)

    expect(code).toBe(0)
    expect(stdout).toMatch(/tested 1\.3\.0\n[^]*checked 1\.3\.0\n/)
    expect(stdout).toMatch(/\nReleased 1\.3\.0\. .*: git push --follow-tags\n$/)
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
    expect(registry.published).toEqual([{ name: 'released', 'dist-tags': { latest: '1.3.0' } }])
  })

  test('that is a dry run does the same in a clone, and changes and publishes nothing', async ({
    expect,
  }) => {
    await using registry = await aRegistry()
    await using repository = await aRepository({ registry: registry.url })
    const stateOf = async () => [
      await repository.git('status', '--porcelain', '--ignored'),
      await repository.git('for-each-ref'),
      await repository.git('config', '--list', '--local'),
    ]
    const before = await stateOf()
    const { code, stdout, stderr } = await repository.release('2.0.0', '--dry-run')

    expect(code).toBe(0)
    const steps = stdout.split('\n').filter((line) => /^> (npm|git|CHANGELOG)/.test(line))
    expect(steps).toEqual([
      '> npm ci --prefer-offline --no-audit',
      '> npm version --no-git-tag-version --allow-same-version 2.0.0',
      '> CHANGELOG.md: the unreleased entries become those of 2.0.0',
      '> npm test',
      '> npm run check',
      '> git commit --all --message "Release 2.0.0"',
      '> git tag --annotate v2.0.0 --message "Release 2.0.0"',
      '> npm publish --dry-run',
    ])
    expect(stdout).toMatch(/tested 2\.0\.0\n[^]*checked 2\.0\.0\n[^]*\+ released@2\.0\.0\n/)
    expect(stdout).toMatch(/\n2\.0\.0 can be released: .* nothing here has changed\.\n$/)
    expect(stderr).toContain('(dry-run)')
    expect(await stateOf()).toEqual(before)
    expect(registry.published).toEqual([])
  })

  test('whose checks fail says how to undo its changes, and commits nothing', async ({
    expect,
  }) => {
    await using repository = await aRepository({ files: { broken: '' } })
    const { code, stderr } = await repository.release('patch')
    expect([code, stderr]).toEqual([
      1,
      'release: "npm test" failed. Nothing is committed or published: undo the changes with "git restore .".\n',
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

  test('of the version in package.json, without a tag, that cannot be published says how to go on', async ({
    expect,
  }) => {
    await using repository = await aRepository()
    const { code, stderr } = await repository.release('1.2.3')
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^release: "npm publish" failed\. .* v1\.2\.3 .* run "npm publish" and "git push --follow-tags"\.$/m,
    )
    expect(await repository.git('tag')).toBe('v1.2.3')
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
        'without a changelog',
        ({ git }) =>
          git('rm', '--quiet', 'CHANGELOG.md').then(() => git('commit', '--message', 'Remove')),
        'has no CHANGELOG.md: run this in the folder of a package.',
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

test('--help shows how to release', async ({ expect }) => {
  const { code, stdout } = await runNode([fromRoot('scripts/release.js'), '--help'], {
    cwd: fromRoot('.'),
  })
  expect([code, stdout]).toEqual([0, expect.stringContaining('<major|minor|patch|x.y.z>')])
})

interface Registry extends AsyncDisposable {
  url: string
  published: unknown[]
}

/** A registry of packages, which has none and accepts any. */
async function aRegistry(): Promise<Registry> {
  const published: unknown[] = []
  const server = createServer(async (request, response) => {
    if (request.method === 'PUT') {
      const { name, 'dist-tags': tags } = (await json(request)) as Record<string, unknown>
      published.push({ name, 'dist-tags': tags })
    }
    response.writeHead(request.method === 'PUT' ? 201 : 404).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    published,
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
