import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createSandbox } from '../src/index.ts'
import { GUIDE_SECTIONS } from './docs/guides.ts'
import { installPackages } from './docs/install-packages.ts'
import { fileNamedIn, toModule, TSCONFIG } from './docs/typescript.ts'
import { aFolder, fromRoot, runNode } from './support/cli.ts'

/** Checks the examples of the README and the pages of docs without running them: `npm run test:docs` runs the examples. */

const TSC = fromRoot('node_modules/typescript/bin/tsc')

test.each([
  ['README.md', 120],
  ['CONTRIBUTING.md', 110],
])('%s has at most %i lines', (page, limit) => {
  const text = readFileSync(fromRoot(page), 'utf8')
  expect(text.split('\n').length - 1).toBeLessThanOrEqual(limit)
})

/** Examples that test/docs/stand-ins.ts compiles. */
const ELSEWHERE = /from 'testcontainers'/

test('the TypeScript and JavaScript examples have no type errors', async () => {
  const files: Record<string, string> = {
    'package.json': JSON.stringify({ type: 'module' }),
    'tsconfig.json': JSON.stringify(TSCONFIG),
  }
  for (const [index, { guide, blocks }] of GUIDE_SECTIONS.entries()) {
    for (const block of blocks) {
      if (!/^[jt]s$/.test(block.language) || ELSEWHERE.test(block.code)) continue
      const folder = `${guide}/section-${index}`
      const named = fileNamedIn(block.code)
      if (named !== undefined) files[`${folder}/${named}`] = block.code
      files[`${folder}/line-${block.line}.ts`] = toModule(block)
    }
  }
  await using folder = await aFolder(files)
  await installPackages(folder)
  const outcome = await runNode([TSC, '--noEmit'], { cwd: folder.path() })
  expect(outcome).toEqual({ code: 0, stdout: '', stderr: '' })
})

test('the fixture loads, and its report is the latest on any date', async () => {
  const sandbox = await createSandbox({ fixtures: fixtureIn('Your own data') })
  const headers = { authorization: 'Bearer my-token' }
  const response = await sandbox.fetch('/api/v1/projects/101/reports/latest', { headers })
  expect(await response.json()).toMatchObject({ data: { id: 5001, status: 'completed' } })
})

test('the generated world has the requested projects', async () => {
  const sandbox = await createSandbox({ fixtures: fixtureIn('Generated worlds') })
  const projects = sandbox.world.records.all('projects')
  expect([projects.length, projects[0]?.id]).toEqual([200, 1001])
})

test('the token table is that of the default world', async () => {
  const sandbox = await createSandbox()
  const page = readFileSync(fromRoot('docs/getting-started.md'), 'utf8')
  const listed = [...page.matchAll(/^\| `(sandbox-[\w-]+)` \|/gm)].map(([, token = '']) => token)
  const tokens = sandbox.world.records.all('tokens').map(({ token }) => token)
  expect(listed.toSorted()).toEqual(tokens.toSorted())
})

function fixtureIn(heading: string): string {
  const section = GUIDE_SECTIONS.find((candidate) => candidate.heading === heading)
  return section?.blocks.find(({ language }) => language === 'yaml')?.code ?? ''
}
