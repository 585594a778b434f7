import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { lockFile } from '../../src/server/state-lock.ts'
import {
  identifyThisProcess,
  isRunning,
  parseProcStat,
  parsePs,
} from '../../src/server/process-identity.ts'
import { aFolder } from '../support/cli.ts'
import type { Folder } from '../support/cli.ts'

/** Who may write a state file: the lock next to it, whose holder is known by pid, host and start time. */

const LOCK = 'state.json.lock'
const STARTED = '2026-01-01T00:00:00.000Z'

const self = await identifyThisProcess()
const ended = await endedProcess()

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
    for (let round = 0; round < 50; round += 1) {
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

  test('removes what a server left that crashed while it took the lock over', async ({
    expect,
  }) => {
    await using folder = await aFolder({ [`${LOCK}.claim`]: aHolder({ pid: ended }) })
    const lock = await take(folder)
    expect(await folder.list()).toEqual([LOCK])
    await lock.release()
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

  test('that another server has taken over is lost for good, and stays', async ({ expect }) => {
    await using folder = await aFolder({})
    const told: string[] = []
    const lock = await take(folder, 'state.json', told)
    const text = aHolder({ host: 'other', pid: 7 })
    await writeFile(folder.path(LOCK), text)
    await expect.poll(() => told, { timeout: 60_000 }).toHaveLength(1)
    const sentence = `Another server has taken it over: process 7 on other, started ${STARTED}. This one no longer saves to it.`
    expect(told[0]).toContain(sentence)
    await expect(lock.check()).rejects.toThrow(sentence)
    await rm(folder.path(LOCK))
    await expect(lock.check()).rejects.toThrow(sentence)
    await writeFile(folder.path(LOCK), text)
    await lock.release()
    expect(await folder.read(LOCK)).toBe(text)
    expect(told).toHaveLength(1)
  })

  test('that another server took over unnoticed is not released', async ({ expect }) => {
    await using folder = await aFolder({})
    const lock = await take(folder)
    const text = aHolder({ host: 'other', pid: 7 })
    await writeFile(folder.path(LOCK), text)
    await lock.release()
    expect(await folder.read(LOCK)).toBe(text)
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
  test('is known by its pid and its start', async ({ expect }) => {
    expect(await isRunning(self)).toBe(true)
    expect(await isRunning({ ...self, start: '' })).toBe(true)
    expect(await isRunning({ ...self, pid: ended })).toBe(false)
  })

  // On Windows a process that was killed is gone, whatever its parent does.
  test.skipIf(process.platform === 'win32')(
    'that was killed, and whose parent never asks for it, has ended',
    async ({ expect }) => {
      const script = 'sh -c "exit 0" & echo $!; exec sleep 60'
      const parent = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] })
      try {
        const [pid] = (await once(parent.stdout, 'data')) as [Buffer]
        const isThere = () => isRunning({ pid: Number(String(pid)), start: '' })
        await expect.poll(isThere, { timeout: 60_000 }).toBe(false)
      } finally {
        parent.kill()
      }
    },
  )

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
