import { existsSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { toAgentsBlock } from '../../src/cli/init-agents.ts'
import { DOCS_INDEX } from '../../src/cli/docs-index.ts'
import { aFolder, fromRoot, runCli } from '../support/cli.ts'

/** `seo-sandbox init --agents`: the block for coding agents in AGENTS.md. */

const init = (cwd: string, ...args: string[]) => runCli(['init', '--agents', ...args], { cwd })

const BLOCK = /^<!-- seo-sandbox, written by .* -->\n[^]*\n<!-- end of seo-sandbox -->\n$/

test('it writes AGENTS.md and nothing else', async () => {
  await using folder = await aFolder({})
  const { code, stdout, stderr } = await init(folder.path())
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^Wrote AGENTS\.md\.\n/)
  expect(await folder.list()).toEqual(['AGENTS.md'])
  expect(await folder.read('AGENTS.md')).toMatch(BLOCK)
})

test('the block has an index of the pages in the package, of at most 3 kB', () => {
  const block = toAgentsBlock({ docs: 'node_modules/seo-sandbox/docs', exec: (line) => line })
  const index = block.slice(block.indexOf('- getting-started.md'))
  expect(index.split('\n')).toHaveLength(DOCS_INDEX.length)
  expect(Buffer.byteLength(index)).toBeLessThan(3000)
  for (const { path } of DOCS_INDEX) expect(existsSync(fromRoot(`docs/${path}`))).toBe(true)
})

test('the paths are those of the project, and the commands those of its package manager', async () => {
  await using folder = await aFolder({
    'package.json': '{ "workspaces": ["app"] }',
    'pnpm-lock.yaml': '',
    'app/package.json': '{}',
    'node_modules/seo-sandbox/docs/README.md': '',
  })
  await init(folder.path(), 'app')
  const text = await folder.read('app/AGENTS.md')
  expect(text).toContain('`../node_modules/seo-sandbox/docs/api.md`')
  expect(text).toContain('pnpm exec seo-sandbox exec --env API_URL=api')
})

describe('what is in AGENTS.md already', () => {
  const OWN = '# Our rules\n\nBe kind.'

  test.for<[title: string, end: string]>([
    ['with LF', '\n'],
    ['with CRLF', '\r\n'],
  ])('stays as it is %s, and the block is renewed in its place', async ([, end]) => {
    const own = OWN.replaceAll('\n', end)
    await using folder = await aFolder({ 'AGENTS.md': `${own}${end}` })
    await init(folder.path())
    const first = await folder.read('AGENTS.md')
    expect(first.startsWith(`${own}${end}${end}<!-- seo-sandbox`)).toBe(true)
    expect(first.replaceAll(end, '').includes('\n')).toBe(false)

    const again = await init(folder.path(), '--json')
    expect(JSON.parse(again.stdout)).toMatchObject({ written: [], unchanged: ['AGENTS.md'] })
    await using changed = await aFolder({
      'AGENTS.md': `${first.replace('## The Search', '## An older block')}${end}More.${end}`,
    })
    await init(changed.path())
    expect(await changed.read('AGENTS.md')).toBe(`${first}${end}More.${end}`)
  })

  test('is not touched where the block has no end', async () => {
    const text =
      '<!-- seo-sandbox, written by npx seo-sandbox init --agents, which renews it -->\nMine.\n'
    await using folder = await aFolder({ 'AGENTS.md': text })
    const { code, stderr } = await init(folder.path())
    expect([code, stderr]).toEqual([
      2,
      'error AGENTS.md: The block of seo-sandbox has no end. Write the line <!-- end of seo-sandbox --> below it, or remove it.\n',
    ])
    expect(await folder.read('AGENTS.md')).toBe(text)
  })
})

describe('CLAUDE.md', () => {
  test.for<[title: string, before: string, after: string]>([
    ['gets a line that leads to AGENTS.md', '# Mine\n', '# Mine\n\n@AGENTS.md\n'],
    ['stays as it is where it names AGENTS.md', 'See AGENTS.md.\n', 'See AGENTS.md.\n'],
  ])('%s', async ([, before, after]) => {
    await using folder = await aFolder({ 'CLAUDE.md': before })
    await init(folder.path())
    await init(folder.path())
    expect(await folder.read('CLAUDE.md')).toBe(after)
  })

  test('that is a link to AGENTS.md is left alone', async () => {
    await using folder = await aFolder({ 'AGENTS.md': '' })
    await symlink('AGENTS.md', folder.path('CLAUDE.md'))
    const { stdout } = await init(folder.path())
    expect(stdout).not.toContain('CLAUDE.md')
    expect(await folder.read('AGENTS.md')).toMatch(BLOCK)
  })
})
