import { mkdir, readlink, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises'
import { describe, test } from 'vitest'
import type { FixtureProblem } from '../../src/index.ts'
import { aFolder } from '../support/cli.ts'
import { run } from '../support/serve-program.ts'
import { AGENCY, aProject, aToken, aWorld } from '../support/worlds.ts'

/** `seo-sandbox --watch` serves saved changes as soon as they are valid. */

const FILE = 'my agency.yaml'

/** A world whose projects have these names, as JSON, which is valid YAML. */
function world(...names: string[]): string {
  const tokens = [aToken({ id: 1, token: AGENCY, rate_limit: { per_minute: 50 } })]
  const projects = names.map((name, index) => aProject({ id: index + 1, name }))
  return JSON.stringify(aWorld({ tokens, projects }), null, 2)
}

/** Only projects, for a second file. */
function moreProjects(...ids: number[]): string {
  return JSON.stringify({ projects: ids.map((id) => aProject({ id, name: `Added ${id}` })) })
}

describe.concurrent('with --watch', () => {
  test(
    'a change made as soon as it listens is served, and reported',
    { tags: ['core'] },
    async ({ expect }) => {
      await using folder = await aFolder({ [FILE]: world('Old') })
      await using program = start(folder.path(), ['--fixtures', FILE])
      await program.until(/Ctrl-C/)
      await writeFile(folder.path(FILE), world('New', 'Newer'))
      await program.until(/^ {2}Reloaded my agency\.yaml: 2 projects$/m)
      expect(await program.names()).toEqual(['New', 'Newer'])
      expect(program.stderr()).toBe('')
    },
  )

  test(
    'an invalid one is reported with its location, and the last valid world is served',
    { tags: ['core'] },
    async ({ expect }) => {
      await using folder = await aFolder({ [FILE]: world('Old') })
      await using program = start(folder.path(), ['--fixtures', FILE])
      await program.until(/Ctrl-C/)
      await writeFile(folder.path(FILE), 'version: 1\nagencies:\n  - { id: 1, nme: North }\n')
      await program.until(/The world is unchanged\.\n/)
      expect(program.stderr()).toMatch(
        /^error my agency\.yaml:3:5 {2}agencies\[0\]\.name\n {2}This is required[^\n]+\nmy agency\.yaml:3:14 {2}agencies\[0\]\.nme\n {2}"nme" [^\n]+\nThe world is unchanged\.\n$/,
      )
      expect(await program.names()).toEqual(['Old'])

      await writeFile(folder.path(FILE), world('New'))
      await program.until(/Reloaded my agency\.yaml: 1 project\n/)
      expect(await program.names()).toEqual(['New'])
    },
  )

  test('both clocks and the rate windows continue; a reset returns to the new world', async ({
    expect,
  }) => {
    await using folder = await aFolder({ [FILE]: world('Old') })
    await using program = start(folder.path(), ['--fixtures', FILE, '--json'])
    await program.until(/"listening"/)
    await program.control('/clock', { now: '2026-05-05', frozen: true })
    await program.control('/clock', { advance: 'PT30S' })
    const before = await program.get('/api/v1/projects')
    const clock = await program.get('/_sandbox/clock')
    await writeFile(folder.path(FILE), world('New'))
    await program.until(/"reloaded"/)
    const after = await program.get('/api/v1/projects')
    expect(after.body).toMatchObject({ data: [{ name: 'New' }] })
    expect([before, after].map(({ remaining }) => remaining)).toEqual([49, 48])
    const { now, frozen } = clock.body
    expect([now, frozen]).toEqual(['2026-05-05T00:00:30.000000Z', true])
    expect((await program.get('/_sandbox/clock')).body).toMatchObject({ now, frozen })

    await program.control('/records/projects/1', { name: 'Changed' }, 'PATCH')
    await program.control('/reset', {})
    expect(await program.names()).toEqual(['New'])
  })

  test('with --json each reload is a line, an invalid one with its problems', async ({
    expect,
  }) => {
    await using folder = await aFolder({ [FILE]: world('Old') })
    await using program = start(folder.path(), ['--fixtures', FILE, '--json'])
    await program.until(/"listening"/)
    await writeFile(folder.path(FILE), world('One', 'Two', 'Three'))
    const reloaded = await program.until(/^.*"reloaded".*$/m)
    expect(JSON.parse(reloaded)).toEqual({ event: 'reloaded', fixtures: [FILE], projects: 3 })
    await writeFile(folder.path(FILE), 'version: 2\n')
    const failed = await program.until(/^.*"reload_failed".*$/m)
    const problem: FixtureProblem = {
      file: FILE,
      line: 1,
      column: 10,
      path: 'version',
      message: '2 is not a version of the format. Write 1.',
    }
    expect(JSON.parse(failed)).toEqual({ event: 'reload_failed', problems: [problem] })
    expect(program.stderr()).toBe('')
  })

  test('and --quiet only errors are printed', async ({ expect }) => {
    await using folder = await aFolder({ [FILE]: world('Old') })
    await using program = start(folder.path(), ['--fixtures', FILE, '--quiet'])
    const url = await program.until(/^http.*\n/)
    await writeFile(folder.path(FILE), world('New'))
    while ((await program.names())[0] === 'Old') await Promise.resolve()
    await writeFile(folder.path(FILE), '')
    await program.until(/The world is unchanged\.\n/)
    expect(program.stdout()).toBe(url)
  })

  test('files that are added to a folder, changed and removed are followed', async ({ expect }) => {
    await using folder = await aFolder({ 'my worlds/a.yaml': world('First') })
    await using program = start(folder.path(), ['--fixtures', 'my worlds'])
    await program.until(/Ctrl-C/)
    const added = folder.path('my worlds/b.json')
    await writeFile(added, moreProjects(7))
    await program.until(/Reloaded my worlds: 2 projects/)
    await writeFile(added, moreProjects(7, 8))
    await program.until(/Reloaded my worlds: 3 projects/)
    await unlink(added)
    await program.until(/Reloaded my worlds: 1 project\n/)
    expect(await program.names()).toEqual(['First'])

    await rm(folder.path('my worlds'), { recursive: true })
    await program.until(/no such file or folder[^]*The world is unchanged\.\n/)
    await mkdir(folder.path('my worlds'))
    await writeFile(folder.path('my worlds/c.yaml'), world('Again', 'and again'))
    await program.until(/Reloaded my worlds: 2 projects\n[^]*Reloaded my worlds: 2 projects\n/)
    expect(await program.names()).toEqual(['Again', 'and again'])
  })

  test(
    'a file that an editor replaces is followed, every time',
    { tags: ['core'] },
    async ({ expect }) => {
      await using folder = await aFolder({ [FILE]: world('Old') })
      await using program = start(folder.path(), ['--fixtures', FILE])
      await program.until(/Ctrl-C/)
      for (const count of [2, 3, 4, 5]) {
        const beside = folder.path(`.${FILE}.swp`)
        await writeFile(beside, world(...Array.from({ length: count }, (_, index) => `${index}`)))
        if (count % 2 === 1) await rename(folder.path(FILE), folder.path(`${FILE}~`))
        await rename(beside, folder.path(FILE))
        await program.until(new RegExp(`Reloaded my agency\\.yaml: ${count} projects\n`))
      }
      expect(await program.names()).toEqual(['0', '1', '2', '3', '4'])
      expect(program.stderr()).toBe('')
    },
  )

  test.for(
    ['config', 'config/agency.yaml', 'config/more/other.yaml', 'link'].flatMap((fixtures) => [
      { fixtures, isLastKept: false },
      { fixtures, isLastKept: true },
    ]),
  )(
    'a mounted ConfigMap that Kubernetes updates is followed: $fixtures, its last version kept: $isLastKept',
    async ({ fixtures, isLastKept }, { expect }) => {
      await using folder = await aFolder({ 'config/': '' })
      await mountConfigMap(folder.path('config'), 0, world('Old'))
      await symlink('config', folder.path('link'))
      await using program = start(folder.path(), ['--fixtures', fixtures])
      await program.until(/Ctrl-C/)
      for (const count of [2, 3, 4, 5]) {
        const names = Array.from({ length: count }, (_, index) => `${index}`)
        const last = await mountConfigMap(folder.path('config'), count, world(...names))
        if (!isLastKept) await rm(last, { recursive: true })
        await program.until(new RegExp(`Reloaded ${fixtures}: ${count} projects\n`))
        expect(await program.names()).toEqual(names)
      }
      expect(program.stderr()).toBe('')
    },
  )

  test.for(['current', 'current/agency.yaml'])(
    'a folder that replaced another one behind a link is followed: %s',
    async (fixtures, { expect }) => {
      await using folder = await aFolder({
        'first/agency.yaml': world('Old'),
        'later/second/agency.yaml': world('1', '2'),
      })
      await symlink('first', folder.path('current'))
      await using program = start(folder.path(), ['--fixtures', fixtures])
      await program.until(/Ctrl-C/)
      await symlink('later/second', folder.path('next'))
      await rename(folder.path('next'), folder.path('current'))
      await program.until(/: 2 projects\n/)
      await writeFile(folder.path('later/second/agency.yaml'), world('1', '2', '3'))
      await program.until(/: 3 projects\n/)
      await writeFile(folder.path('later/second/agency.yaml'), world('1', '2', '3', '4'))
      await program.until(/: 4 projects\n/)
      expect(program.stderr()).toBe('')
    },
  )

  test('simultaneous changes of several files are one reload, and never served in part', async ({
    expect,
  }) => {
    await using folder = await aFolder({ 'a.yaml': world('Old'), 'b.yaml': moreProjects(5) })
    await using program = start(folder.path(), [
      '--fixtures',
      'a.yaml',
      '--fixtures',
      'b.yaml',
      '--json',
    ])
    await program.until(/"listening"/)
    await Promise.all([
      writeFile(folder.path('a.yaml'), world('1', '2', '3', '4', '5')),
      writeFile(folder.path('b.yaml'), moreProjects(6, 7)),
    ])
    await program.until(/"reload.*\n/)
    expect(await program.names()).toHaveLength(7)
    const events = program.stdout().match(/"event":"reload\w+".*/g)
    expect(events).toEqual(['"event":"reloaded","fixtures":["a.yaml","b.yaml"],"projects":7}'])
  })

  test('the last of many changes is finally served', async ({ expect }) => {
    await using folder = await aFolder({ [FILE]: world('Old') })
    await using program = start(folder.path(), ['--fixtures', FILE, '--json'])
    await program.until(/"listening"/)
    for (let count = 1; count <= 200; count += 1) {
      await writeFile(folder.path(FILE), world(...Array.from({ length: count }, () => 'Name')))
      await program.names()
    }
    await program.until(/"reloaded".*"projects":200}/)
    expect(await program.names()).toHaveLength(200)
  })

  test('it ends with exit code 0 on a signal, right after a change', async ({ expect }) => {
    await using folder = await aFolder({ [FILE]: world('Old') })
    await using program = start(folder.path(), ['--fixtures', FILE])
    await program.until(/Ctrl-C/)
    await writeFile(folder.path(FILE), world('New'))
    expect(await program.stop()).toBe(0)
  })
})

/**
 * Writes a version of a ConfigMap into its volume as the kubelet does: into a new folder, which replaces the previous one by a
 * single rename of a link. Returns the path of the previous folder, which the kubelet then removes.
 */
async function mountConfigMap(volume: string, version: number, text: string): Promise<string> {
  const name = `..2026_11_29_12_00_0${version}.1234`
  await mkdir(`${volume}/${name}/more`, { recursive: true })
  await writeFile(`${volume}/${name}/agency.yaml`, text)
  await writeFile(`${volume}/${name}/more/other.yaml`, text)
  const last = await readlink(`${volume}/..data`).catch(() => '')
  await symlink(name, `${volume}/..data_tmp`)
  await rename(`${volume}/..data_tmp`, `${volume}/..data`)
  if (last === '') {
    await symlink('..data/agency.yaml', `${volume}/agency.yaml`)
    await symlink('..data/more', `${volume}/more`)
  }
  return `${volume}/${last}`
}

/** The program that watches the fixtures, and its world. */
function start(cwd: string, args: string[]) {
  const program = run(['--port', '0', '--watch', ...args], { cwd })
  const url = () => /http:\/\/127\.0\.0\.1:\d+/.exec(program.stdout())?.[0]
  return {
    ...program,
    get: async (path: string) => {
      const headers = { authorization: `Bearer ${AGENCY}` }
      const response = await fetch(`${url()}${path}`, { headers })
      const remaining = Number(response.headers.get('x-ratelimit-remaining'))
      return { body: (await response.json()) as Record<string, unknown>, remaining }
    },
    /** The names of its projects. */
    names: async () => {
      const response = await fetch(`${url()}/_sandbox/snapshots`)
      const { records } = (await response.json()) as { records: { projects: { name: string }[] } }
      return records.projects.map(({ name }) => name)
    },
    control: async (path: string, body: object, method = 'POST') => {
      const init = { method, body: JSON.stringify(body) }
      const response = await fetch(`${url()}/_sandbox${path}`, init)
      if (!response.ok) throw new Error(await response.text())
    },
    /** Interrupts the program, and returns its exit code. */
    stop: () => {
      program.kill('SIGINT')
      return program.ended
    },
  }
}
