import { chmod, readlink, stat, symlink } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { quote } from '../../src/cli/print.ts'
import { createSandbox } from '../../src/index.ts'
import type { Sandbox } from '../../src/index.ts'
import { loadFixtures } from '../../src/server.ts'
import { aFolder, runCli } from '../support/cli.ts'

/** `seo-sandbox generate` writes a generated world for users to continue from. */

const NOW = '2026-03-15T12:00:00Z'
/** The showcase projects of the demo. */
const SHOWCASE = [1004, 1011, 1017, 1025, 1039] as const
const headers = { authorization: 'Bearer sandbox-super' }

describe('seo-sandbox generate', () => {
  test.each([
    { file: 'my world.yaml', line: '--seed spring', projects: 5, locale: 'en' as const },
    {
      file: 'my.JSON',
      line: '--seed spring --projects 2 --locale da',
      projects: 2,
      locale: 'da' as const,
    },
  ])(
    '$line writes $file, which has the same responses',
    async ({ file, line, projects, locale }) => {
      await using folder = await aFolder({})
      const cwd = folder.path()
      const args = ['generate', '--out', file, '--now', NOW, ...line.split(' ')]
      const { code, stdout } = await runCli(args, { cwd })
      expect([code, stdout]).toEqual([
        0,
        `Wrote ${file}: ${projects} projects. Serve it with --fixtures ${quote(file)}\n`,
      ])
      expect((await runCli(['validate', file], { cwd })).code).toBe(0)

      const generate = { projects, agencies: 1, keywords: 5, reports: 4, locale }
      const options = { frozen: true, rateLimit: 'unlimited' }
      const made = await createSandbox({ ...options, generate, seed: 'spring', now: NOW })
      const fixtures = loadFixtures(folder.path(file))
      const written = await createSandbox({ ...options, fixtures })
      expect(await answers(written)).toEqual(await answers(made))
    },
  )

  test('--demo writes the demo with its names, which lives', async () => {
    const locale = 'da'
    await using folder = await aFolder({})
    const cwd = folder.path()
    const args = ['generate', '--demo', '--out', 'demo.yaml', '--seed', '7', '--locale', locale]
    const { code, stdout } = await runCli(args, { cwd })
    expect([code, stdout]).toEqual([
      0,
      'Wrote demo.yaml: the demo, with names that you can change. Serve it with --fixtures demo.yaml --seed 7\n',
    ])
    expect((await runCli(['validate', 'demo.yaml'], { cwd })).code).toBe(0)
    const lines = (await folder.read('demo.yaml')).split('\n')
    expect(lines.length).toBeLessThan(32)
    expect(lines[0]).toMatch(/^# yaml-language-server/)

    const options = { seed: '7', now: NOW, frozen: true, rateLimit: 'unlimited' }
    const demo = await createSandbox({ ...options, demo: true, locale })
    const named = await createSandbox({
      ...options,
      fixtures: loadFixtures(folder.path('demo.yaml')),
    })
    const namesOf = ({ world: { records } }: Sandbox) => [
      records.all('agencies'),
      SHOWCASE.map((id) => records.get('projects', id)?.name),
    ]
    expect(namesOf(named)).toEqual(namesOf(demo))
    const late = () => named.world.records.reportsOf(SHOWCASE[0]).map(({ status }) => status)
    const before = late()
    await named.clock.advance('P7D')
    expect(late()).not.toEqual(before)
  })

  test('--demo takes figures, a start and JSON, and prints what it would write', async () => {
    await using folder = await aFolder({})
    const cwd = folder.path()
    const line = [
      'generate',
      '--demo',
      '--projects',
      '6',
      '--keywords',
      '9',
      '--now',
      NOW,
      '--json',
    ]
    const { stdout } = await runCli(line, { cwd })
    expect(JSON.parse(stdout)).toMatchObject({
      version: 1,
      now: NOW,
      generate: { projects: 6, keywords: 9, reports: { min: 4, max: 20 }, showcase: true },
    })
    const { stdout: written } = await runCli([...line, '--out', 'demo.json'], { cwd })
    const bytes = Buffer.byteLength(await folder.read('demo.json'))
    expect(JSON.parse(written)).toEqual({ file: 'demo.json', projects: 6, bytes })
    expect(await folder.read('demo.json')).toBe(stdout)
  })

  test('writes JSON into a .json file, with the schema for editors', async () => {
    await using folder = await aFolder({})
    await runCli(['generate', '--out', 'world.json', '--projects', '1'], { cwd: folder.path() })
    const [schema] = Object.entries(JSON.parse(await folder.read('world.json')))
    expect(schema).toEqual(['$schema', './node_modules/seo-sandbox/fixtures/schema.json'])
  })

  test('with --json prints what was written, or the fixture itself', async () => {
    await using folder = await aFolder({})
    const line = ['generate', '--json', '--projects', '2', '--now', NOW]
    const cwd = folder.path()
    const { stdout } = await runCli([...line, '--out', 'world.yaml'], { cwd })
    const { length: bytes } = Buffer.from(await folder.read('world.yaml'))
    expect(JSON.parse(stdout)).toEqual({ file: 'world.yaml', projects: 2, bytes })
    expect(await folder.read('world.yaml')).toMatch(/^# yaml-language-server/)

    const printed = await runCli(line, { cwd })
    await runCli([...line, '--out', 'world.json'], { cwd })
    expect(printed).toEqual({ code: 0, stdout: await folder.read('world.json'), stderr: '' })
    expect(JSON.parse(printed.stdout)).toMatchObject({ now: '2026-03-15T12:00:00.000000Z' })
  })

  test('writes to stdout if no file is named, with the report statuses of each project', async () => {
    await using folder = await aFolder({})
    const { code, stdout } = await runCli(['generate', '--projects', '1'], { cwd: folder.path() })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^# yaml-language-server: \$schema=/)
    expect(stdout).toMatch(/# Reports: (\d+ \w+(, )?)+\n/)
  })

  test.each([
    [['--out', 'here.yaml'], 'here.yaml: This file already exists.'],
    [['--out', 'no/folder.yaml'], 'no/folder.yaml: Its folder does not exist. Create it.'],
    [['--demo', '--out', 'here.yaml'], 'here.yaml: This file already exists.'],
    [['--demo', '--agencies', '2'], '--agencies: The demo has one agency.'],
    [['--keywords', '501'], '--keywords: "501" is not a number of keywords: use 0 to 500.'],
    [['--seed', ''], '--seed: "" is not a seed: use a number or a text.'],
    [['--now', 'tomorrow'], '--now: "tomorrow" is not a date and time.'],
  ])('%j is refused, and no file is changed', async (args, sentence) => {
    await using folder = await aFolder({ 'here.yaml': 'mine' })
    const { code, stderr } = await runCli(['generate', ...args], { cwd: folder.path() })
    expect([code, stderr]).toEqual([2, expect.stringContaining(`error ${sentence}`)])
    expect(await folder.read('here.yaml')).toBe('mine')
  })

  test.each(['here.yaml', 'nothing.yaml'])(
    'a symbolic link to %s is not followed unless --force asks for it',
    async (target) => {
      await using folder = await aFolder({ 'here.yaml': 'mine' })
      await chmod(folder.path('here.yaml'), 0o640)
      // Windows has only one of these bits.
      const { mode } = await stat(folder.path('here.yaml'))
      await symlink(target, folder.path('link.yaml'))
      const before = await folder.list()
      const line = ['generate', '--projects', '1', '--out', 'link.yaml']
      const { code, stderr } = await runCli(line, { cwd: folder.path() })
      expect([code, stderr]).toEqual([
        2,
        'error link.yaml: This is a symbolic link. Choose another, or add --force.\n',
      ])
      expect(await folder.list()).toEqual(before)
      expect(await folder.read('here.yaml')).toBe('mine')

      expect((await runCli([...line, '--force'], { cwd: folder.path() })).code).toBe(0)
      expect(await readlink(folder.path('link.yaml'))).toBe(target)
      expect(await folder.read(target)).toMatch(/^# yaml-language-server/)
      expect((await stat(folder.path('here.yaml'))).mode).toBe(mode)
    },
  )
})

async function answers(sandbox: Sandbox): Promise<Record<string, string>> {
  const paths = ['/projects', '/users', '/countries', '/languages', '/me']
  for (const { id } of sandbox.world.records.all('projects')) {
    const project = `/projects/${id}`
    paths.push(project, `${project}/keywords`, `${project}/reports`, `${project}/reports/latest`)
    for (let number = 1; number <= 26; number += 1) {
      paths.push(`${project}/reports/${number}/content`)
    }
  }
  const entries = await Promise.all(
    paths.map(async (path) => {
      const response = await sandbox.fetch(`/api/v1${path}`, { headers })
      return [path, `${response.status} ${await response.text()}`]
    }),
  )
  return Object.fromEntries(entries) as Record<string, string>
}
