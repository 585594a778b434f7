import { chmod, chown, readlink, stat, symlink } from 'node:fs/promises'
import { describe, test } from 'vitest'
import { aFolder, runCli, runNode, fromRoot } from '../support/cli.ts'
import { FILES, readState, start, STATE } from '../support/program.ts'
import type { StateProgram } from '../support/program.ts'

/** Writing the file of --state: through links, with its mode and owner kept, and never in part. */

const OTHER = { name: 'Other' }

/** Too long a name for a file of 64 kB. */
const LONG = { name: 'x'.repeat(70_000) }
const FILE_LIMIT = 128

/** A file limit with room for a lock, but for no state. */
const LOCK_ONLY = 1

describe.concurrent('the state file', () => {
  test.for(['there is', 'there is not yet'])(
    'is where a symbolic link leads to, which %s',
    async (exists, { expect }) => {
      await using folder = await aFolder({ ...FILES, 'kept/': '' })
      await symlink('kept/real.json', folder.path('link.json'))
      await symlink('link.json', folder.path(STATE))
      if (exists === 'there is') {
        await using first = await start(folder, ['--state', 'kept/real.json'])
        await first.stop()
      }
      await using program = await start(folder)
      expect(await rename(program, OTHER)).toBe(200)
      expect(await program.stop()).toBe(0)
      expect(await readlink(folder.path(STATE))).toBe('link.json')
      expect(await readlink(folder.path('link.json'))).toBe('kept/real.json')
      expect(await folder.list()).toEqual(['agency.json', 'kept', 'link.json', STATE])
      expect(await folder.list('kept')).toEqual(['real.json'])
      expect((await readState(folder)).records.projects[0]).toMatchObject(OTHER)
    },
  )

  test('is refused where its links form a circle', async ({ expect }) => {
    await using folder = await aFolder({})
    await symlink(STATE, folder.path(STATE))
    const outcome = await runCli(['--port', '0', '--state', STATE], { cwd: folder.path() })
    expect(outcome).toMatchObject({ code: 2, stdout: '' })
    expect(outcome.stderr).toMatch(
      /^error state\.json: Its symbolic links form a circle\. [^\n]+\n$/,
    )
  })

  test('keeps its mode and its owner', async ({ expect }) => {
    await using folder = await aFolder(FILES)
    await (await start(folder)).stop()
    const { uid, gid } = await ownerForTest()
    await chown(folder.path(STATE), uid, gid)
    await chmod(folder.path(STATE), 0o640)
    await using program = await start(folder)
    expect(await rename(program, OTHER)).toBe(200)
    await program.stop()
    const entry = await stat(folder.path(STATE))
    expect(entry).toMatchObject({ uid, gid })
    expect(entry.mode & 0o777).toBe(0o640)
  })

  test('of an owner that it could not keep is refused, and stays as it is', async ({ expect }) => {
    await using folder = await aFolder(FILES)
    await (await start(folder)).stop()
    const before = await folder.read(STATE)
    const outcome = await runNode(
      [...OF_ANOTHER_OWNER, fromRoot('bin/seo-sandbox.js'), '--port', '0', '--state', STATE],
      { cwd: folder.path() },
    )
    expect(outcome).toMatchObject({ code: 2, stdout: '' })
    expect(outcome.stderr).toMatch(/^error state\.json: It belongs to another user [^\n]+\n$/)
    expect(await folder.read(STATE)).toBe(before)
    expect(await folder.list()).toEqual(['agency.json', STATE])
  })

  test('is written through a new temporary file of its owner, and the folder is synced', async ({
    expect,
  }) => {
    await using folder = await aFolder({ ...FILES, 'target.txt': 'mine' })
    await symlink('target.txt', folder.path(`${STATE}.tmp`))
    await using program = await start(folder, [], { nodeArgs: REPORT_FILES })
    expect(await rename(program, OTHER)).toBe(200)
    expect(await rename(program, OTHER)).toBe(200)
    expect(await program.stop()).toBe(0)
    const lines = program.stderr().trim().split('\n')
    const written = lines.filter((line) => line.includes('.tmp '))
    expect(written.length).toBeGreaterThanOrEqual(6)
    for (const line of written) {
      expect(line).toMatch(
        /^(?:open|rename) (state\.json(?:\.lock)?)\.[0-9a-f]{12}\.tmp (?:wx 600|\1)$/,
      )
    }
    const names = written
      .filter((line) => line.startsWith('open'))
      .map((line) => line.split(' ')[1])
    expect(new Set(names).size).toBe(names.length)
    const renames = lines.flatMap((line, index) => (line.startsWith('rename') ? [index] : []))
    expect(renames.map((index) => lines[index + 1])).toEqual(renames.map(() => 'sync folder'))
    expect(await folder.read('target.txt')).toBe('mine')
  })

  test('is readable by its owner only, and leftovers are removed; other files stay', async ({
    expect,
  }) => {
    const others = [
      'other.json.0123456789ab.tmp',
      'state.json.b.json.0123456789ab.tmp',
      'state.json.bak',
    ]
    await using folder = await aFolder({
      ...FILES,
      ...Object.fromEntries(others.map((name) => [name, ''])),
      [`${STATE}.lock.0123456789ab.tmp`]: '',
      [`${STATE}.0123456789ab.tmp`]: '{"version":1,"rec',
    })
    await using program = await start(folder)
    expect((await stat(folder.path(STATE))).mode & 0o777).toBe(0o600)
    const files = ['agency.json', STATE, `${STATE}.lock`, ...others]
    expect(await folder.list()).toEqual(files.toSorted())
    expect(await program.stop()).toBe(0)
    expect(await folder.list()).toEqual(['agency.json', STATE, ...others].toSorted())
  })
})

describe.concurrent('a disk that is full', () => {
  test(
    'leaves the last good state and no part of the next, and the cause is named',
    { tags: ['core'] },
    async ({ expect }) => {
      await using folder = await aFolder(FILES)
      const program = await start(folder, [], { fileLimit: FILE_LIMIT })
      expect(await rename(program, OTHER)).toBe(200)
      const { status, body } = await program.control('PATCH', '/records/projects/1', LONG)
      expect([status, body.error.message]).toEqual([
        500,
        `The change is made, but would be lost in a restart. ${STATE}: ${TOO_LARGE}`,
      ])
      expect((await folder.list()).filter((name) => name.endsWith('.tmp'))).toEqual([])
      program.kill('SIGKILL')
      await program.ended
      expect((await readState(folder)).records.projects[0]).toMatchObject(OTHER)

      await using again = await start(folder)
      expect((await again.control('GET', '/records/projects/1')).body).toMatchObject(OTHER)
      expect(again.stderr()).toBe('')
    },
  )

  test('is in health until the file can be written again', async ({ expect }) => {
    await using folder = await aFolder(FILES)
    await using program = await start(folder, [], { fileLimit: FILE_LIMIT })
    const health = async () => (await program.control('GET', '/health')).body
    expect(await health()).toMatchObject({ status: 'ok', problems: [] })
    expect((await program.control('PATCH', '/records/projects/1', LONG)).status).toBe(500)
    const problems = [`${STATE}: ${TOO_LARGE}`]
    expect(await health()).toMatchObject({ status: 'degraded', problems })
    expect((await program.control('POST', '/reset')).status).toBe(200)
    expect(await health()).toMatchObject({ status: 'ok', problems: [] })
  })

  test('lets a server start on the last good state, and say that it cannot save', async ({
    expect,
  }) => {
    await using folder = await aFolder(FILES)
    {
      await using first = await start(folder)
      expect(await rename(first, OTHER)).toBe(200)
    }
    const before = await folder.read(STATE)
    await using program = await start(folder, [], { fileLimit: LOCK_ONLY })
    expect((await program.control('GET', '/records/projects/1')).body).toMatchObject(OTHER)
    expect(program.stderr()).toBe(`error ${STATE}: ${TOO_LARGE}\n`)
    expect(await rename(program, { name: 'Third' })).toBe(500)
    expect(await program.stop()).toBe(1)
    expect(await folder.read(STATE)).toBe(before)
    expect(await folder.list()).toEqual(['agency.json', STATE])
  })

  test('refuses a state that is not there yet', async ({ expect }) => {
    await using folder = await aFolder(FILES)
    await expect(start(folder, [], { fileLimit: LOCK_ONLY })).rejects.toThrow(
      `error ${STATE}: ${TOO_LARGE}`,
    )
    expect(await folder.list()).toEqual(['agency.json'])
  })

  test('refuses a state where not even its lock can be written, until there is space', async ({
    expect,
  }) => {
    await using folder = await aFolder(FILES)
    await (await start(folder)).stop()
    await expect(start(folder, [], { fileLimit: 0 })).rejects.toThrow(
      `error ${STATE}: ${TOO_LARGE}`,
    )
    expect(await (await start(folder)).stop()).toBe(0)
    expect(await folder.list()).toEqual(['agency.json', STATE])
  })
})

const TOO_LARGE =
  'It exceeds the maximum size of a file. Raise the limit (ulimit -f), or choose another disk.'

async function rename(program: StateProgram, patch: { name: string }): Promise<number> {
  return (await program.control('PATCH', '/records/projects/1', patch)).status
}

/** An owner to whom this process can give a file: for root, any. */
async function ownerForTest(): Promise<{ uid: number; gid: number }> {
  const [uid = 0, groups = []] = [process.getuid?.(), process.getgroups?.()]
  return uid === 0 ? { uid: 1234, gid: 1234 } : { uid, gid: groups.at(-1) ?? 0 }
}

/** An option of Node that first runs a script, in which `Handle` is the class of open files. */
function preload(script: string): string[] {
  const before = `
import { syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'
import fs from 'node:fs/promises'
const handle = await fs.open(process.execPath)
const Handle = Object.getPrototypeOf(handle)
await handle.close()
`
  const text = `${before}${script}\nsyncBuiltinESMExports()`
  return ['--import', `data:text/javascript,${encodeURIComponent(text)}`]
}

/** Pretends that every existing file belongs to another user, and may not be given away. */
const OF_ANOTHER_OWNER = preload(`
const { stat } = Handle
Handle.stat = async function (...args) {
  const entry = await stat.apply(this, args)
  return Object.assign(entry, { uid: typeof entry.uid === 'bigint' ? entry.uid + 1n : entry.uid + 1 })
}
Handle.chown = async () => {
  throw Object.assign(new Error('EPERM: operation not permitted, fchown'), { code: 'EPERM' })
}
`)

/** Writes a line to stderr for each temporary file opened, each renaming, and each folder synced. */
const REPORT_FILES = preload(`
const { open, rename } = fs
fs.open = async (path, flags, mode) => {
  if (path.endsWith('.tmp')) {
    process.stderr.write('open ' + basename(path) + ' ' + flags + ' ' + mode?.toString(8) + '\\n')
  }
  return open(path, flags, mode)
}
fs.rename = async (from, to) => {
  process.stderr.write('rename ' + basename(from) + ' ' + basename(to) + '\\n')
  return rename(from, to)
}
const { sync } = Handle
Handle.sync = async function () {
  if ((await this.stat()).isDirectory()) process.stderr.write('sync folder\\n')
  return sync.call(this)
}
`)
