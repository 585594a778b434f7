import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { createInterface } from 'node:readline/promises'
import { describe, test } from 'vitest'
import { lockFile } from '../../src/server/state-lock.ts'
import { aFolder, fromRoot, runCli, spawnCli } from '../support/cli.ts'
import { ANOTHER_SERVER, FILES, readState, start, STATE } from '../support/program.ts'

/** One server at a time uses the file of --state: each line of the lock beside it names a process of a host. */

const LOCK = `${STATE}.lock`
const OTHER = { name: 'Other' }

const [own, running] = [await lineOf(process.pid), await lineOf(process.ppid)]
const ended = (await lineOf(process.pid)).replace(/^\d+/, String(await endedProcess()))

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
      expect(outcome.stderr).toContain(`process ${program.pid} on ${hostname()}. `)
      const { status } = await program.control('PATCH', '/records/projects/1', OTHER)
      expect([status, await program.stop()]).toEqual([200, 0])
      expect((await readState(folder)).records.projects[0]).toMatchObject(OTHER)
      expect(await folder.list()).toEqual(['agency.json', 'link.json', STATE])
    },
  )

  test('that another host has locked exits with 2 and names the lock', async ({ expect }) => {
    await using folder = await aFolder({ [LOCK]: '7 boot 1 web-1\n' })
    const outcome = await runCli(['--port', '0', '--state', STATE], { cwd: folder.path() })
    const sentences = `Another server uses it: process 7 on web-1. Stop that server, or remove ${folder.path(LOCK)} if it has ended.`
    expect(outcome).toEqual({ code: 2, stdout: '', stderr: `error ${STATE}: ${sentences}\n` })
    expect(await folder.list()).toEqual([LOCK])
  })
})

test('the lock of a state goes with a server that cannot start', async ({ expect }) => {
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

describe.concurrent('a lock', () => {
  test.for([
    { of: 'nobody, as a full disk leaves it', text: '' },
    { of: 'a process that has ended', text: ended },
    {
      of: 'the process of a killed container, with our pid',
      text: own.replace(/\d+ (\S+)$/, '1 $1'),
    },
    { of: 'a process of an earlier boot', text: running.replace(/ \S+/, ' an-earlier-boot') },
    {
      of: 'an earlier process with the pid of another',
      text: running.replace(/\d+ (\S+)$/, '1 $1'),
    },
    { of: 'several processes that have ended', text: `${ended}\n${ended}` },
  ])('of $of is taken over', async ({ text }, { expect }) => {
    await using folder = await aFolder({ [LOCK]: text && `${text}\n` })
    const release = await lockFile(folder.path(STATE))
    expect(await folder.read(LOCK)).toBe(`${own}\n`)
    await release()
    expect(await folder.list()).toEqual([])
  })

  test('of a killed process whose parent never waits for it is taken over', async ({ expect }) => {
    const script = 'sh -c "exit 0" & echo $!; exec sleep 60'
    const parent = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] })
    try {
      const [text] = (await once(parent.stdout, 'data')) as [Buffer]
      const pid = Number(String(text))
      const stateOf = async () => /\) (\w)/.exec(await readFile(`/proc/${pid}/stat`, 'utf8'))?.[1]
      await expect.poll(stateOf, { timeout: 60_000 }).toBe('Z')
      await using folder = await aFolder({ [LOCK]: `${await lineOf(pid)}\n` })
      await (
        await lockFile(folder.path(STATE))
      )()
      expect(await folder.list()).toEqual([])
    } finally {
      parent.kill()
    }
  })

  test.for([
    {
      of: 'a process that runs',
      text: `${running}\n`,
      says: `Another server uses it: process ${process.ppid} on `,
    },
    {
      of: 'a process that runs, after others',
      text: `${ended}\n${running}\n`,
      says: `process ${process.ppid} on `,
    },
    {
      of: 'a process that runs, before ours',
      text: `${running}\n${own}\n`,
      says: `process ${process.ppid} on `,
    },
    { of: 'another host, with our pid', text: `${own}-2\n`, says: `${LOCK} if it has ended.` },
    {
      of: 'another host, in control characters',
      text: '7 boot 1 web\u001b\n',
      says: String.raw`on web\u001b. `,
    },
    {
      of: 'no server, but a file of that name',
      text: 'mine',
      says: `${LOCK} is not the lock of a server. Move it away.`,
    },
  ])('of $of is respected', async ({ text, says }, { expect }) => {
    await using folder = await aFolder({ [LOCK]: text })
    await expect(lockFile(folder.path(STATE))).rejects.toThrow(says)
    expect(await folder.read(LOCK)).toBe(text)
    expect(await folder.list()).toEqual([LOCK])
  })

  test.for(['mine.txt', 'nothing.txt', 'folder'])(
    'that is a link to %s is refused',
    async (target, { expect }) => {
      await using folder = await aFolder({ 'mine.txt': '', 'folder/': '' })
      await symlink(target, folder.path(LOCK))
      await expect(lockFile(folder.path(STATE))).rejects.toThrow(
        `${LOCK} is not the lock of a server.`,
      )
      expect(await folder.list()).toEqual(['folder', 'mine.txt', LOCK])
      expect(await folder.read('mine.txt')).toBe('')
    },
  )

  test('of this process keeps it from locking the file again until it is released', async ({
    expect,
  }) => {
    await using folder = await aFolder({})
    const release = await lockFile(folder.path(STATE))
    await expect(lockFile(folder.path(STATE))).rejects.toThrow('This process uses it already.')
    await release()
    await (
      await lockFile(folder.path(STATE))
    )()
    expect(await folder.list()).toEqual([])
  })

  test('that was removed, and then taken by another server, stays when the first one ends', async ({
    expect,
  }) => {
    await using folder = await aFolder({})
    const release = await lockFile(folder.path(STATE))
    await writeFile(folder.path(LOCK), `${running}\n`)
    await release()
    expect(await folder.read(LOCK)).toBe(`${running}\n`)
  })

  test('that is absent or stale is taken by one of several processes at once', async ({
    expect,
  }) => {
    await using folder = await aFolder({})
    const contenders = Array.from({ length: 6 }, () => aContender())
    try {
      for (let round = 0; round < 40; round += 1) {
        const path = folder.path(`${round}.json`)
        if (round % 4 > 0) await writeFile(`${path}.lock`, `${ended}\n`.repeat((round % 4) - 1))
        const answers = await Promise.all(contenders.map((contender) => contender.lock(path)))
        const winner = answers.indexOf('locked')
        const { pid } = contenders[winner] ?? {}
        expect(answers).toEqual(
          answers.map((_, at) =>
            at === winner ? 'locked' : expect.stringContaining(`process ${pid} on `),
          ),
        )
        // A loser's line, if it is there, comes after the winner's.
        expect(await folder.read(`${round}.json.lock`)).toMatch(new RegExp(`^${pid} `))
      }
    } finally {
      for (const { end } of contenders) end()
    }
  })
})

/** Starts a process that locks each file named to it, and keeps the locks until it ends. */
function aContender() {
  const url = JSON.stringify(fromRoot('build/server/state-lock.js'))
  const script = `
import { createInterface } from 'node:readline'
import { lockFile } from ${url}
for await (const path of createInterface(process.stdin)) {
  console.log(await lockFile(path).then(() => 'locked', ({ message }) => message))
}`
  const args = ['--input-type=module', '--eval', script]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return {
    pid: child.pid,
    lock: async (path: string) => {
      child.stdin.write(`${path}\n`)
      return String((await lines.next()).value)
    },
    end: () => child.kill(),
  }
}

/** The line of a process in a lock, by `/proc`. */
async function lineOf(pid: number): Promise<string> {
  const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
  const [, , ...fields] = (await readFile(`/proc/${pid}/stat`, 'utf8'))
    .replace(/\(.*\)/, '()')
    .split(' ')
  return `${pid} ${boot} ${fields[19]} ${hostname()}`
}

/** The pid of a process that has ended. */
async function endedProcess(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
  await once(child, 'close')
  return child.pid ?? 0
}
