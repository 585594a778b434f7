import { once } from 'node:events'
import { watch } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import { aFolder, runCli, spawnCli } from '../support/cli.ts'
import type { Folder, Outcome } from '../support/cli.ts'
import { runs } from '../support/depth.ts'
import {
  ANOTHER_SERVER,
  FILES,
  IDS,
  LIMIT,
  LIMITED,
  readState,
  start,
  STATE,
} from '../support/program.ts'
import type { StateProgram } from '../support/program.ts'
import { AGENCY, aProject, aWorld } from '../support/worlds.ts'

/** `--state`: content and times of saving; test/cli/state.test.ts covers refused states. */

describe.concurrent('with --state the world is saved', () => {
  test(
    'when it stops: every response is as before, and the banner names the world',
    { tags: ['core'] },
    async ({ expect }) => {
      await using folder = await aFolder(FILES)
      const answers = async ({ get }: StateProgram) => [
        await get('/projects/1', AGENCY),
        await get('/projects', AGENCY),
        await get('/me', LIMITED),
      ]
      const before = await (async () => {
        await using program = await start(folder)
        expect(program.first).toMatchObject({ world: 'agency.json', state: { of: null } })
        await program.control('PATCH', '/records/projects/1', { name: 'Other' })
        await program.control('DELETE', '/records/projects/2')
        await program.control('POST', '/clock', { now: '2026-04-01', frozen: true })
        await program.get('/me', LIMITED)
        const seen = await answers(program)
        expect(seen[2]?.remaining).toBe(String(LIMIT - 2))
        await program.stop()
        return seen
      })()

      await using program = await start(folder)
      const { of } = program.first.state
      expect(program.first.world).toBe(`State ${STATE} of ${of}, over agency.json`)
      const [project, projects, me] = await answers(program)
      expect([project, projects]).toEqual(before.slice(0, 2))
      expect(me).toEqual({ ...before[2], remaining: String(LIMIT - 3) })
      expect((await program.control('GET', '/commands')).body).toHaveLength(4)
    },
  )

  test('and wins over other fixtures, --now and --frozen, to which a reset returns', async ({
    expect,
  }) => {
    const other = aWorld({ projects: [aProject({ id: 1, name: 'Of the fixture' })] })
    await using folder = await aFolder({ ...FILES, 'other.json': JSON.stringify(other) })
    {
      await using program = await start(folder)
      await program.control('PATCH', '/records/projects/1', { name: 'Of the state' })
    }
    await using program = await start(folder, ['--now', '2027-01-01'], { fixtures: 'other.json' })
    expect(program.first).toMatchObject({ now: '2026-03-15T12:00:00.000000Z' })
    const nameOf = async () => JSON.parse((await program.get('/projects/1', AGENCY)).text).data.name
    expect(await nameOf()).toBe('Of the state')
    const { body } = await program.control('POST', '/reset')
    expect([await nameOf(), body.now]).toEqual(['Of the fixture', '2027-01-01T00:00:00.000000Z'])
  })

  // All 200 of the promise take three minutes: PROPERTY_DEPTH=10.
  const kills = Math.max(4, runs(20))
  test(
    `at a kill -9 at any moment: no acknowledged change is lost, and no second server starts (${kills} runs)`,
    { tags: ['core'], timeout: 60_000 + kills * 10_000 },
    async ({ expect }) => {
      await using folder = await aFolder(FILES)
      let known = new Map(IDS.map((id) => [id, 0]))
      const [moments = []] = fc.sample(
        fc.array(fc.integer({ min: 0, max: 120 }), { minLength: kills, maxLength: kills }),
        1,
      )
      for (const moment of moments) {
        await using program = await start(folder)
        const { answered, sent, second } = await changeUntilKilled(program, known, {
          folder,
          moment,
        })
        expect(second).toEqual({ code: 2, stdout: '', stderr: second.stderr })
        expect(second.stderr).toMatch(ANOTHER_SERVER)
        expect(second.stderr).toContain(`process ${program.pid} on ${hostname()}. `)

        const { records } = await readState(folder)
        const kept = new Map(records.projects.map(({ id, name }) => [id, numberIn(name)]))
        for (const id of IDS) {
          expect(kept.get(id)).toBeGreaterThanOrEqual(answered.get(id) ?? 0)
          expect(kept.get(id)).toBeLessThanOrEqual(sent.get(id) ?? 0)
        }
        known = kept
      }
      await using program = await start(folder)
      for (const id of IDS) {
        const { text } = await program.get(`/projects/${id}`, AGENCY)
        expect(numberIn(JSON.parse(text).data.name)).toBe(known.get(id))
      }
    },
  )

  test('after requests too, within seconds', async ({ expect }) => {
    await using folder = await aFolder(FILES)
    {
      await using program = await start(folder)
      const watcher = watch(folder.path())
      let changed = once(watcher, 'change')
      for (let count = 0; count < 5; count += 1) await program.get('/me', LIMITED)
      while ((await readState(folder)).rate_windows[0]?.minute[0]?.requests !== 5) {
        await changed
        changed = once(watcher, 'change')
      }
      watcher.close()
    }
    await using program = await start(folder)
    expect((await program.get('/me', LIMITED)).remaining).toBe(String(LIMIT - 6))
  })
})

describe.concurrent('a state that cannot be saved', () => {
  test(
    'is reported to each client that changes the world, and again at the end',
    { tags: ['core'] },
    async ({ expect }) => {
      await using folder = await aFolder({ ...FILES, 'kept/': '' })
      await using program = await start(folder, ['--state', 'kept/state.json'])
      await rm(folder.path('kept'), { recursive: true })
      const sentence = 'kept/state.json: Its folder does not exist. Create it.'
      const { status, body } = await program.control('PATCH', '/records/projects/1', {
        name: 'Other',
      })
      expect([status, body.error.code]).toEqual([500, 'state_not_written'])
      expect(body.error.message).toBe(
        `The change is made, but would be lost in a restart. ${sentence}`,
      )
      expect((await program.get('/projects/1', AGENCY)).text).toContain('"Other"')
      expect(await program.stop()).toBe(1)
      expect(program.stderr()).toBe(`error ${sentence} (docs/hosting/README.md)\n`)
    },
  )

  test('affects nothing that does not change the state', async ({ expect }) => {
    await using folder = await aFolder({ ...FILES, 'kept/': '' })
    await using program = await start(folder, ['--state', 'kept/state.json'])
    await rm(folder.path('kept'), { recursive: true })
    expect((await program.control('POST', '/reset')).status).toBe(500)
    expect((await program.control('POST', '/verify', { no_unknown_routes: true })).status).toBe(200)
    const made = await program.control('POST', '/worlds')
    expect(made.status).toBe(201)
    const { id } = made.body
    expect((await program.control('POST', `/reset?world=${id}`)).status).toBe(200)
    expect((await program.control('DELETE', `/worlds/${id}`)).status).toBe(204)
    expect((await program.control('POST', '/reset?world=default')).status).toBe(500)
  })

  test('is saved again once there is space', async ({ expect }) => {
    await using folder = await aFolder({ ...FILES, 'kept/': '' })
    await using program = await start(folder, ['--state', 'kept/state.json'])
    await rename(folder.path('kept'), folder.path('away'))
    expect((await program.control('POST', '/reset')).status).toBe(500)
    await rename(folder.path('away'), folder.path('kept'))
    expect((await program.control('POST', '/reset')).status).toBe(200)
    expect(await program.stop()).toBe(0)
  })
})

test('a snapshot beside a state that there is is not restored, which exec says too', async ({
  expect,
}) => {
  const sandbox = await createSandbox()
  const world = JSON.stringify(await sandbox.snapshot())
  await using folder = await aFolder({ 'world.json': world })
  const options = ['--snapshot', 'world.json', '--state', STATE]
  const line = ['exec', ...options, '--', 'true']
  expect(await runCli(line, { cwd: folder.path() })).toMatchObject({ code: 0, stderr: '' })
  expect(await runCli(line, { cwd: folder.path() })).toEqual({
    code: 0,
    stdout: '',
    stderr:
      'warning --snapshot: world.json was not restored, because the world continues from state.json. Move that file away to begin from the snapshot.\n',
  })
})

/**
 * Has one client per project rename it repeatedly while a second server tries the file, and kills the program `moment`
 * responses after the second server has ended.
 */
async function changeUntilKilled(
  program: StateProgram,
  known: ReadonlyMap<number, number>,
  { folder, moment }: { folder: Folder; moment: number },
): Promise<Record<'answered' | 'sent', Map<number, number>> & { second: Outcome }> {
  const answered = new Map(known)
  const sent = new Map(known)
  let answers = 0
  let until = Infinity
  const attempt = spawnCli(['--port', '0', '--state', STATE], { cwd: folder.path() })
  const second = attempt.then((outcome) => {
    until = answers + moment
    return outcome
  })
  const change = async (id: number) => {
    while (answers <= until) {
      const number = (sent.get(id) ?? 0) + 1
      sent.set(id, number)
      const name = `Name ${number}`
      const done = await program
        .control('PATCH', `/records/projects/${id}`, { name })
        .catch(() => undefined)
      if (done?.status !== 200) return
      answered.set(id, number)
      answers += 1
      if (answers > until) program.kill('SIGKILL')
    }
  }
  await Promise.all(IDS.map(change))
  await program.ended
  return { answered, sent, second: await second }
}

/** The number at the end of a project's name: 0 for one that was never renamed. */
function numberIn(name: string): number {
  return Number(/^Name (\d+)$/.exec(name)?.[1] ?? 0)
}
