import { describe, expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { Sandbox } from '../../src/index.ts'
import { loadFixtures } from '../../src/server.ts'
import { aFolder, runCli } from '../support/cli.ts'

/** `seo-sandbox generate` writes a made-up world that anybody can go on from. */

const NOW = '2026-03-15T12:00:00Z'
const headers = { authorization: 'Bearer sandbox-super' }

describe('seo-sandbox generate', () => {
  test.each([
    { line: '--seed spring', projects: 5, locale: 'en' as const },
    { line: '--seed spring --projects 2 --locale da', projects: 2, locale: 'da' as const },
  ])('$line writes a valid fixture with the same answers', async ({ line, projects, locale }) => {
    await using folder = await aFolder({})
    const cwd = folder.path()
    const args = ['generate', '--out', 'my world.yaml', '--now', NOW, ...line.split(' ')]
    const { code, stdout } = await runCli(args, { cwd })
    expect([code, stdout]).toEqual([
      0,
      `Wrote my world.yaml: ${projects} projects. Serve it with --fixtures my world.yaml\n`,
    ])
    expect((await runCli(['validate', 'my world.yaml'], { cwd })).code).toBe(0)

    const generate = { projects, agencies: 1, keywords: 5, reports: 4, locale }
    const options = { frozen: true, rateLimit: 'unlimited' }
    const made = await createSandbox({ ...options, generate, seed: 'spring', now: NOW })
    const fixtures = loadFixtures(folder.path('my world.yaml'))
    const written = await createSandbox({ ...options, fixtures })
    expect(await answers(written)).toEqual(await answers(made))
  })

  test('writes to stdout where no file is named, and says how the reports of each project stand', async () => {
    await using folder = await aFolder({})
    const { code, stdout } = await runCli(['generate', '--projects', '1'], { cwd: folder.path() })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^# yaml-language-server: \$schema=/)
    expect(stdout).toMatch(/# Reports: (\d+ \w+(, )?)+\n/)
  })

  test.each([
    [['--out', 'here.yaml'], 'here.yaml: There is such a file already.'],
    [['--out', 'no/folder.yaml'], 'no/folder.yaml: It cannot be written.'],
    [['--projects', '-1'], '--projects: "-1" is not possible.'],
    [['--locale', 'fr'], 'generate: locale: "fr" is not a possible value.'],
    [['--now', 'tomorrow'], 'now: '],
  ])('%j is refused, and nothing is lost', async (args, sentence) => {
    await using folder = await aFolder({ 'here.yaml': 'mine' })
    const { code, stderr } = await runCli(['generate', ...args], { cwd: folder.path() })
    expect([code, stderr]).toEqual([2, expect.stringContaining(`error ${sentence}`)])
    expect(await folder.read('here.yaml')).toBe('mine')
  })
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
