import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'vitest'
import { aFolder, runCli, spawnCli } from '../support/cli.ts'
import { ANOTHER_SERVER, FILES, readState, start, STATE } from '../support/program.ts'
import type { Program } from '../support/program.ts'

/** One server at a time uses the file of --state. */

const LOCK = `${STATE}.lock`
const OTHER = { name: 'Other' }

describe.concurrent('a second server on the same state', () => {
  test(
    'through a link names the first and exits with 2',
    { tags: ['core'] },
    async ({ expect }) => {
      await using folder = await aFolder(FILES)
      await symlink(STATE, folder.path('link.json'))
      await using program = await start(folder)
      const args = ['--port', '0', '--state', 'link.json']
      const outcome = await spawnCli(args, { cwd: folder.path() })
      expect(outcome).toMatchObject({ code: 2, stdout: '' })
      expect(outcome.stderr.replace('link.json', STATE)).toMatch(ANOTHER_SERVER)
      expect(outcome.stderr).toContain(`process ${program.pid} on `)
      expect(await rename(program, OTHER)).toBe(200)
      expect(await program.stop()).toBe(0)
      expect((await readState(folder)).records.projects[0]).toMatchObject(OTHER)
      expect(await folder.list()).toEqual(['agency.json', 'link.json', STATE])
    },
  )

  test('is one of four that start at once after a crash', async ({ expect }) => {
    await using folder = await aFolder(FILES)
    await crash(await start(folder))
    const started = await Promise.allSettled(Array.from({ length: 4 }, () => start(folder)))
    const programs = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    for (const one of started) {
      if (one.status === 'rejected') expect(String(one.reason)).toContain('Another server uses it')
    }
    expect(programs).toHaveLength(1)
    await Promise.all(programs.map((program) => program[Symbol.asyncDispose]()))
  })
})

describe.concurrent('the lock of a state', () => {
  test('goes with a server that cannot start', async ({ expect }) => {
    await using folder = await aFolder(FILES)
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const line = ['--port', String(port), '--state', STATE]
    const { code, stderr } = await runCli(line, { cwd: folder.path() })
    taken.close()
    expect([code, stderr]).toEqual([2, expect.stringContaining('is already in use')])
    expect(await folder.list()).toEqual(['agency.json'])
  })

  test('that another server took over stops the writing, and the server says so', async ({
    expect,
  }) => {
    await using folder = await aFolder(FILES)
    await using program = await start(folder)
    expect(await rename(program, OTHER)).toBe(200)
    const before = await folder.read(STATE)
    const holder = { id: 'b', pid: 7, host: 'other', started: '2026-01-01T00:00:00Z', start: '' }
    await writeFile(folder.path(LOCK), JSON.stringify(holder))
    const sentence =
      'state.json: Another server has taken it over: process 7 on other, started 2026-01-01T00:00:00Z.'
    // It says so before any command.
    await expect.poll(() => program.stderr(), { timeout: 60_000 }).toContain(`error ${sentence}`)
    const { status, body } = await program.control('PATCH', '/records/projects/1', {
      name: 'Third',
    })
    expect([status, body.error.code]).toEqual([500, 'state_not_written'])
    expect(body.error.message).toContain(sentence)
    expect(await program.stop()).toBe(1)
    expect(await folder.read(STATE)).toBe(before)
    expect(await folder.list()).toEqual(['agency.json', STATE, LOCK])
    expect(JSON.parse(await folder.read(LOCK))).toEqual(holder)
  })

  test('without a name, on a full disk, still keeps others away, and has it once there is space', async ({
    expect,
  }) => {
    await using folder = await aFolder(FILES)
    await (await start(folder)).stop()
    await using program = await start(folder, [], { fileLimit: 0 })
    const outcome = await runCli(['--port', '0', '--state', STATE], { cwd: folder.path() })
    expect(outcome).toMatchObject({ code: 2, stdout: '' })
    expect(outcome.stderr).toContain('Another server uses it, which could not write its name.')
    expect(await folder.read(LOCK)).toBe('')
    execFileSync('prlimit', ['--pid', String(program.pid), '--fsize=unlimited'])
    await expect
      .poll(() => folder.read(LOCK), { timeout: 60_000 })
      .toContain(`"pid":${program.pid},`)
    await program.stop()
    expect(await folder.list()).toEqual(['agency.json', STATE])
  })
})

async function rename(program: Program, patch: { name: string }): Promise<number> {
  return (await program.control('PATCH', '/records/projects/1', patch)).status
}

async function crash(program: Program): Promise<void> {
  program.kill('SIGKILL')
  await program.ended
}
