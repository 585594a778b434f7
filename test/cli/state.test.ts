import { stat, writeFile } from 'node:fs/promises'
import { describe, test } from 'vitest'
import { startServer } from '../../src/server.ts'
import { aFolder, runCli } from '../support/cli.ts'
import { FILES, IDS, readState, STATE, world } from '../support/program.ts'

/** States that a server refuses, and `startServer({ state })`; `npm run test:processes` covers --state. */

describe.concurrent('a state that cannot be used', () => {
  const good = JSON.stringify({ version: 1, taken_at: '2026-03-15T12:00:00.000000Z' })

  test.for([
    { title: 'a truncated file', text: '{"version":1,"taken_at":"20', says: 'it is not JSON.' },
    { title: 'an empty file', text: '', says: 'it is not JSON.' },
    {
      title: 'a file of another version',
      text: '{"version":7}',
      says: 'This snapshot is of version 7, and this release of seo-sandbox reads version 1.',
    },
    { title: 'a fixture', text: FILES['agency.json'], says: 'This is not a snapshot.' },
    { title: 'a file that lacks nearly every field', text: good, says: 'clock: ' },
  ])('$title is refused and left unchanged', async ({ text, says }, { expect }) => {
    await using folder = await aFolder({ [STATE]: text })
    const { mtimeMs } = await stat(folder.path(STATE))
    const outcome = await runCli(['--port', '0', '--state', STATE], { cwd: folder.path() })
    expect(outcome).toMatchObject({ code: 2, stdout: '' })
    expect(outcome.stderr).toMatch(/^error state\.json: [^\n]+ Move the file away [^\n]+\.\n$/)
    expect(outcome.stderr).toContain(says)
    expect(await folder.read(STATE)).toBe(text)
    expect((await stat(folder.path(STATE))).mtimeMs).toBe(mtimeMs)
    expect(await folder.list()).toEqual([STATE])
  })

  test.for([
    { state: 'none/state.json', says: 'Its folder does not exist. Create it.' },
    { state: 'agency.json/state.json', says: 'A part of its path is a file.' },
    { state: 'folder.json', says: 'It is a folder. Name a file in it.' },
  ])('$state is refused at the start', async ({ state, says }, { expect }) => {
    await using folder = await aFolder({ ...FILES, 'folder.json/': '' })
    const outcome = await runCli(['--port', '0', '--state', state], { cwd: folder.path() })
    expect(outcome).toMatchObject({ code: 2, stdout: '' })
    expect(outcome.stderr).toMatch(/^error [^\n]+\.\n$/)
    expect(outcome.stderr).toContain(`${state}: ${says}`)
  })
})

describe('startServer({ state })', () => {
  test('saves the result of concurrent commands, one complete file after the other', async ({
    expect,
  }) => {
    await using folder = await aFolder({})
    const options = { port: 0, fixtures: world, state: folder.path(STATE) }
    const server = await startServer(options)
    const { sandbox } = server
    const names = await Promise.all(
      IDS.flatMap((id) => Array.from({ length: 25 }, (_, index) => ({ id, index }))).map(
        async ({ id, index }) => {
          const patch = { name: `Name ${index}` }
          await sandbox.command({ type: 'record.patch', collection: 'projects', id, patch })
          const [project] = (await readState(folder)).records.projects
          return project?.name
        },
      ),
    )
    expect(new Set(names.filter((name) => !/^(Project 1|Name \d+)$/.test(name ?? '')))).toEqual(
      new Set(),
    )
    await server.close()
    const snapshot = await sandbox.snapshot()
    expect(snapshot.records.projects.map(({ name }) => name)).toEqual(IDS.map(() => 'Name 24'))
    expect(snapshot.commands).toHaveLength(200)

    const again = await startServer(options)
    const { taken_at: _, ...restored } = await again.sandbox.snapshot()
    expect(snapshot).toMatchObject({ ...restored, clock: { now: restored.clock.now } })
    await again.close()
    await again.close()
  })

  test('opens no port for a state that it refuses', async ({ expect }) => {
    await using folder = await aFolder({})
    await writeFile(folder.path(STATE), '[]')
    const refused = startServer({ port: 0, state: folder.path(STATE) })
    await expect(refused).rejects.toThrow('a list is not a snapshot')
  })
})
