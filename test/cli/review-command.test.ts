import { describe, expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { Review } from '../../src/review/review.ts'
import { aFolder, runCli } from '../support/cli.ts'

/** `seo-sandbox review` of a session; `npm run test:processes` covers the sessions of `exec --review`. */

/** Records the session of a client that requests a report number that does not exist. */
async function aSession(): Promise<string> {
  const sandbox = await createSandbox()
  const headers = { authorization: 'Bearer sandbox-agency', accept: 'application/json' }
  const first = await sandbox.fetch('/api/v1/projects', { headers })
  const { data } = (await first.json()) as { data: { id: number }[] }
  await sandbox.fetch(`/api/v1/projects/${data[0]?.id}/reports/0/content`, { headers })
  return JSON.stringify(await sandbox.session())
}

describe('review', () => {
  test('lists the reports of the projects that are named', async () => {
    await using folder = await aFolder({ 'a.session.json': await aSession() })
    const projectsOf = async (...args: string[]) => {
      const { stdout } = await runCli(['review', 'a.session.json', '--json', ...args], {
        cwd: folder.path(),
      })
      return [...new Set((JSON.parse(stdout) as Review).ledger.map(({ project }) => project))]
    }
    const ids = Array.from({ length: 24 }, (_, index) => `--projects=${101 + index}`)
    const [first = 0, second = 0] = await projectsOf(...ids)
    const named = await projectsOf(`--projects=${second}`, `--projects=${first}`)
    expect(named).toEqual([first, second])
  })

  test('annotates a job of GitHub Actions on standard error, also with --json', async () => {
    await using folder = await aFolder({ 'a.session.json': await aSession() })
    const options = { cwd: folder.path(), env: { GITHUB_ACTIONS: 'true' } }
    const { stdout, stderr } = await runCli(['review', 'a.session.json', '--json'], options)
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'failed' })
    expect(stderr).toMatch(/^::error title=failed%3A report-number-range .+::Request 2 .+\n$/)
  })

  test.for<[args: string[], message: string]>([
    [['nowhere.json'], 'nowhere.json: There is no such file.'],
    [['other.json'], 'other.json: This is not a session.'],
    [
      ['a.session.json', '--projects', '0'],
      '--projects: "0" is not the id of a project: use one like 101.',
    ],
    [['a.session.json', '--report', 'html'], '--report: "html" is not a format and a file'],
    [
      ['a.session.json', '--report', 'json=./a.session.json'],
      '--report: a.session.json is the file of the session. Choose another name.',
    ],
    [
      ['a.session.json', '--report', 'html=a', '--report', 'json=a'],
      '--report: a and a are the same file.',
    ],
    [['nowhere/a.json', '--report', 'html=a'], 'nowhere/a.json: There is no such file.'],
    [['changed.json'], 'changed.json: Step 1 of this session differs when it is replayed'],
  ])('%j is a usage error', async ([args, message]) => {
    const session = await aSession()
    await using folder = await aFolder({
      'other.json': '{}',
      'a.session.json': session,
      'changed.json': session.replace('"status":200', '"status":201'),
    })
    const outcome = await runCli(['review', ...args], { cwd: folder.path() })
    expect(outcome).toMatchObject({ code: 2, stdout: '' })
    expect(outcome.stderr).toContain(`error ${message}`)
    expect(outcome.stderr.trimEnd().split('\n')).toHaveLength(1)
  })
})
