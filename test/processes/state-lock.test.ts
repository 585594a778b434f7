import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { describe, test } from 'vitest'
import {
  identifyThisProcess,
  isRunning,
  parseProcStat,
  parsePs,
} from '../../src/server/process-identity.ts'
import { lockFile } from '../../src/server/state-lock.ts'
import { aFolder, runCli, spawnCli } from '../support/cli.ts'
import type { Folder } from '../support/cli.ts'
import { ANOTHER_SERVER, FILES, readState, start, STATE } from '../support/program.ts'
import type { Program } from '../support/program.ts'

/** One server at a time uses the file of --state: the lock next to it names its holder by pid, host and start time. */

const LOCK = `${STATE}.lock`
const OTHER = { name: 'Other' }
const STARTED = '2026-01-01T00:00:00.000Z'

const self = await identifyThisProcess()
const ended = await endedProcess()

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

describe.concurrent('a lock', () => {
  test.for<HolderCase>([
    { of: 'a process that has ended', holder: { pid: ended }, age: 0 },
    { of: 'an earlier process with the pid of this one', holder: { start: 'boot/1' }, age: 0 },
    { of: 'another host, 16 seconds old', holder: { host: 'other' }, age: 16 },
  ])('of $of is taken over', async ({ holder, age }, { expect }) => {
    await using folder = await aFolder({ [LOCK]: aHolder(holder) })
    await setAge(folder, LOCK, age)
    const lock = await take(folder)
    expect(await readHolder(folder)).toMatchObject({ ...self, host: hostname() })
    await lock.check()
    await lock.release()
    expect(await folder.list()).toEqual([])
  })

  test.for<HolderCase & { or?: string }>([
    { of: 'this process, however old', holder: {}, age: 3600 },
    { of: 'a process of unknown start', holder: { start: '' }, age: 3600 },
    {
      of: 'another host, 10 seconds old',
      holder: { host: 'other', pid: ended },
      age: 10,
      or: ', wait 15 seconds if it has crashed',
    },
  ])('of $of is respected, and its holder named', async ({ holder, age, or = '' }, { expect }) => {
    const text = aHolder(holder)
    await using folder = await aFolder({ [LOCK]: text })
    await setAge(folder, LOCK, age)
    const { pid = self.pid, host = hostname() } = holder
    await expect(take(folder)).rejects.toThrow(
      `Another server uses it: process ${pid} on ${host}, started ${STARTED}. Stop that server${or}, or choose another file.`,
    )
    expect(await folder.read(LOCK)).toBe(text)
    expect(await folder.list()).toEqual([LOCK])
  })

  test.for(['', '{"pid":'])(
    'that says %j, for lack of space, counts by its age',
    async (text, { expect }) => {
      await using folder = await aFolder({ [LOCK]: text })
      await expect(take(folder)).rejects.toThrow('which could not write its name')
      await setAge(folder, LOCK, 16)
      await (await take(folder)).release()
      expect(await folder.list()).toEqual([])
    },
  )

  test('that is a link or a folder is refused', async ({ expect }) => {
    await using folder = await aFolder({ 'mine.txt': '', 'other/state.json.lock/': '' })
    await symlink('mine.txt', folder.path(LOCK))
    const sentence = `${LOCK} next to it is not the lock file of a server. Move that away.`
    await expect(take(folder)).rejects.toThrow(sentence)
    await expect(take(folder, 'other/state.json')).rejects.toThrow(sentence)
    expect(await folder.read('mine.txt')).toBe('')
  })

  test('whose holder has crashed is taken over by one of many at once', async ({ expect }) => {
    await using folder = await aFolder({})
    for (let round = 0; round < 10; round += 1) {
      const crashed = aHolder({ pid: ended })
      await writeFile(folder.path(LOCK), crashed)
      // A server that crashed while it took the lock over.
      if (round % 2 === 0) await writeFile(folder.path(`${LOCK}.claim`), crashed)
      const outcomes = await Promise.allSettled(
        Array.from({ length: 16 }, async (_, turns) => {
          // One after the other, so that some find the lock stale that has just been taken over.
          for (let turn = 0; turn < turns * (round % 5); turn += 1) await setImmediate()
          return take(folder)
        }),
      )
      const taken = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      expect(taken).toHaveLength(1)
      for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled') continue
        expect(String(outcome.reason)).toContain(`process ${self.pid} on ${hostname()}, started`)
      }
      await taken[0]?.check()
      await taken[0]?.release()
      expect(await folder.list()).toEqual([])
    }
  })

  test('is renewed within seconds, with the same text', async ({ expect }) => {
    await using folder = await aFolder({})
    const lock = await take(folder)
    const text = await folder.read(LOCK)
    await setAge(folder, LOCK, 3600)
    const ageOf = async () => Date.now() - (await stat(folder.path(LOCK))).mtimeMs
    await expect.poll(ageOf, { timeout: 60_000 }).toBeLessThan(60_000)
    expect(await folder.read(LOCK)).toBe(text)
    await lock.release()
  })

  test('that was removed is lost, unless the state went with it', async ({ expect }) => {
    await using folder = await aFolder({ 'kept/': '' })
    const lock = await take(folder, 'kept/state.json')
    await rm(folder.path('kept'), { recursive: true })
    await expect(lock.check()).rejects.toThrow('ENOENT')
    await mkdir(folder.path('kept'))
    await lock.check()
    expect(await folder.list('kept')).toEqual([LOCK])
    await rm(folder.path(`kept/${LOCK}`))
    await writeFile(folder.path('kept/state.json'), '{}')
    await expect(lock.check()).rejects.toThrow(`Its lock ${LOCK} was removed.`)
    await lock.release()
  })
})

describe('a process', () => {
  test('that was killed, and whose parent never asks for it, has ended', async ({ expect }) => {
    const script = 'sh -c "exit 0" & echo $!; exec sleep 60'
    const parent = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] })
    try {
      const [pid] = (await once(parent.stdout, 'data')) as [Buffer]
      const isThere = () => isRunning({ pid: Number(String(pid)), start: '' })
      await expect.poll(isThere, { timeout: 60_000 }).toBe(false)
    } finally {
      parent.kill()
    }
  })

  test.for([
    { text: '4711 (node) S 1', hasEnded: false },
    { text: '4711 (a) Z (b) R 1', hasEnded: false },
    { text: '4711 (node) Z 1', hasEnded: true },
  ])('of Linux: $text', ({ text, hasEnded }, { expect }) => {
    const others = Array.from({ length: 17 }, () => '0').join(' ')
    const found = parseProcStat(`${text} ${others} 77 0 0\n`, 'b-1\n')
    expect(found).toEqual({ start: 'b-1/77', hasEnded })
  })

  test.for([
    { text: 'Ss   Sun Nov  2 07:00:00 2026\n', hasEnded: false },
    { text: 'Z+   Sun Nov  2 07:00:00 2026\n', hasEnded: true },
  ])('of ps: $text', ({ text, hasEnded }, { expect }) => {
    expect(parsePs(text)).toEqual({ start: 'Sun Nov 2 07:00:00 2026', hasEnded })
    expect(parsePs('\n')).toBeUndefined()
  })
})

/** A lock that is found, and how many seconds ago it was renewed. */
interface HolderCase {
  of: string
  holder: { pid?: number; host?: string; start?: string }
  age: number
}

function take(folder: Folder, file = 'state.json', told: string[] = []) {
  return lockFile(folder.path(file), ({ message }) => told.push(message))
}

/** What the lock of a server says; of this process where nothing else is given. */
function aHolder(fields: HolderCase['holder']): string {
  return JSON.stringify({ id: 'a', host: hostname(), started: STARTED, ...self, ...fields })
}

async function readHolder(folder: Folder): Promise<unknown> {
  return JSON.parse(await folder.read(LOCK))
}

/** As if a lock was last renewed so many seconds ago. */
async function setAge(folder: Folder, name: string, age: number): Promise<void> {
  const at = new Date(Date.now() - age * 1000)
  await utimes(folder.path(name), at, at)
}

/** The pid of a process that has ended. */
async function endedProcess(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
  await once(child, 'close')
  return child.pid ?? 0
}

async function rename(program: Program, patch: { name: string }): Promise<number> {
  return (await program.control('PATCH', '/records/projects/1', patch)).status
}
