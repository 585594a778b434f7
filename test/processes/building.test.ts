import { appendFile, cp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { REPLACED } from '../../src/adapters/fail-with.ts'
import { aFolder, fromRoot, runNode } from '../support/cli.ts'
import type { Folder } from '../support/cli.ts'
import { BUILT } from '../support/dist.ts'
import { launch } from '../support/launch.ts'

/** Builds the package in a copy of the project while a server runs from it (CONTRIBUTING.md, Set up). */

const PROJECT = [
  'bin',
  'build',
  'dist',
  'docs/README.md',
  'fixtures',
  'package-lock.json',
  'package.json',
  'scripts',
  'src',
  'tsconfig.build.json',
  'tsconfig.json',
]

async function aProject(): Promise<Folder> {
  const project = await aFolder({})
  for (const name of PROJECT) await cp(fromRoot(name), project.path(name), { recursive: true })
  await symlink(fromRoot('node_modules'), project.path('node_modules'))
  return project
}

function build(project: Folder, flag: string) {
  return runNode([project.path('scripts/build.js'), flag], { cwd: project.path() })
}

/** Changes the parts that servers load late: the console, the documents, the control API and the code of the command line. */
async function change(project: Folder): Promise<void> {
  for (const [file, from, to] of [
    ['src/console/index.html', '<title>seo-sandbox', '<title>Another'],
    ['src/contract/problems.ts', "'Unauthenticated.'", "'Who is there?'"],
    ['src/control-api/control-error.ts', 'errorResponse(', ' errorResponse('],
    ['src/report-pages/respond-with-page.ts', "'Not found'", "'Nothing'"],
  ] as const) {
    const text = await readFile(project.path(file), 'utf8')
    if (!text.includes(from)) throw new Error(`${file} has no ${from}.`)
    await writeFile(project.path(file), text.replace(from, to))
  }
}

interface Init {
  method?: string
  body?: string
  headers?: Record<string, string>
}

/** Requests that are each the first to need a part that a server loads late. */
const LATE: readonly [path: string, init?: Init][] = [
  ['/', { headers: { accept: 'text/html' } }],
  ['/openapi.json'],
  ['/reports/nothing'],
  ['/_sandbox/health'],
  ['/_sandbox/openapi.json'],
  ['/_sandbox/reset', { method: 'POST' }],
  ['/_sandbox/reports/510104/complete', { method: 'POST' }],
  ['/_sandbox/worlds', { method: 'POST', body: '{"fixtures":{"version":1},"name":"x"}' }],
  ['/api/v1/projects'],
]

async function askFor(url: string): Promise<[status: number, text: string][]> {
  const answers: [number, string][] = []
  for (const [path, init] of LATE) {
    const response = await fetch(`${url}${path}`, {
      ...init,
      headers: { authorization: 'Bearer sandbox-unlimited', ...init?.headers },
    })
    answers.push([response.status, await response.text()])
  }
  return answers
}

test('a server goes on as it began after a build, and says that it was replaced where its parts are gone', async () => {
  await using project = await aProject()
  const chunks = () => readdir(project.path('dist/shared'))
  const start = (...flags: string[]) =>
    launch([
      process.execPath,
      project.path('bin/seo-sandbox.js'),
      '--port',
      '0',
      '--json',
      ...flags,
    ])
  await build(project, '--if-changed')
  expect(await project.read('build/built.json')).toBe(
    await readFile(fromRoot('build/built.json'), 'utf8'),
  )
  const before = BUILT.flatMap((file) => /^shared\/(.*)/.exec(file)?.[1] ?? [])

  await using asked = await start()
  await using running = await start()
  await using replaced = await start()
  const fixtures = project.path('fixtures/default.yaml')
  await using watching = await start('--fixtures', fixtures, '--watch')
  const expected = await askFor(asked.first.url)
  expect(expected.map(([status]) => status)).toEqual([200, 200, 404, 200, 200, 200, 200, 422, 200])

  await change(project)
  expect(await build(project, '--if-changed')).toMatchObject({ code: 0 })
  // Building the same sources again does not count as another build, so the earlier chunks stay.
  expect(await build(project, '')).toMatchObject({ code: 0 })
  expect(await chunks()).toEqual(expect.arrayContaining(before))
  const answers = await askFor(running.first.url)
  expect(answers.map(([status]) => status)).toEqual(expected.map(([status]) => status))
  expect(answers.slice(0, 3)).toEqual(expected.slice(0, 3))
  const [, script = ''] = /src="(.*?)"/.exec(answers[0]?.[1] ?? '') ?? []
  expect((await fetch(new URL(script, running.first.url))).status).toBe(200)

  // A package manager leaves the folder like this until it has installed the next version.
  await rm(project.path('dist'), { recursive: true })
  const late = await askFor(replaced.first.url)
  expect(late.at(-1)?.[0]).toBe(200)
  for (const [status, text] of late.slice(0, -1)) {
    expect([status, JSON.parse(text)]).toMatchObject([500, { message: REPLACED }])
  }
  await appendFile(fixtures, '# Saved\n')
  const reload = await watching.next('reload_failed')
  expect(reload).toMatchObject({ problems: [{ file: fixtures, message: REPLACED }] })
  expect((await fetch(`${watching.first.url}/api/v1/projects`)).status).toBe(401)
})
