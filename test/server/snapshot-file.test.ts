import { writeFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import { startServer } from '../../src/server.ts'
import { aFolder, runCli } from '../support/cli.ts'

/** `--snapshot FILE`, and `startServer({ snapshot })`. */

const NAME = 'North in March'

/** A snapshot of a world in which the first project has another name, and the time at which it was taken. */
async function takeSnapshot(): Promise<{ text: string; of: string }> {
  const sandbox = await createSandbox({ now: '2026-03-15', frozen: true })
  const patch = { name: NAME }
  await sandbox.command({ type: 'record.patch', collection: 'projects', id: 101, patch })
  const snapshot = await sandbox.snapshot()
  return { text: JSON.stringify(snapshot), of: snapshot.taken_at }
}

function nameOf({ sandbox }: Awaited<ReturnType<typeof startServer>>): string | undefined {
  return sandbox.world.records.get('projects', 101)?.name
}

describe('a server with a snapshot', () => {
  test('continues from it, and a reset returns to what the options say', async () => {
    const { text, of } = await takeSnapshot()
    await using folder = await aFolder({ 'world.json': text })
    const snapshot = folder.path('world.json')
    const server = await startServer({ port: 0, snapshot, now: '2026-01-01', frozen: true })
    expect(server.snapshot).toEqual({ file: snapshot, of })
    expect(nameOf(server)).toBe(NAME)
    expect(server.sandbox.clock.read()).toMatchObject({
      now: '2026-03-15T00:00:00.000000Z',
      frozen: true,
    })
    await server.sandbox.reset()
    expect(nameOf(server)).not.toBe(NAME)
    expect(server.sandbox.clock.read().now).toBe('2026-01-01T00:00:00.000000Z')
    await server.close()
    expect(await folder.read('world.json')).toBe(text)
  })

  test('writes it to a new state file, and then continues from that and says so', async () => {
    const { text, of } = await takeSnapshot()
    await using folder = await aFolder({ 'world.json': text })
    const [snapshot, state] = [folder.path('world.json'), folder.path('state.json')]
    const first = await startServer({ port: 0, snapshot, state })
    expect([first.snapshot?.of, first.state?.of]).toEqual([of, null])
    expect(nameOf(first)).toBe(NAME)
    await first.sandbox.reset()
    await first.close()
    // The snapshot is not even read.
    await writeFile(snapshot, 'broken')
    const second = await startServer({ port: 0, snapshot, state })
    expect(second.snapshot).toEqual({ file: snapshot, of: null })
    expect(second.state?.of).not.toBeNull()
    expect(nameOf(second)).not.toBe(NAME)
    await second.close()
  })

  test('takes a state file for one, which it leaves alone', async () => {
    const { text } = await takeSnapshot()
    await using folder = await aFolder({ 'world.json': text })
    const state = folder.path('state.json')
    await (await startServer({ port: 0, snapshot: folder.path('world.json'), state })).close()
    const written = await folder.read('state.json')
    const server = await startServer({ port: 0, snapshot: state })
    expect(nameOf(server)).toBe(NAME)
    await server.sandbox.reset()
    await server.close()
    expect(await folder.read('state.json')).toBe(written)
  })
})

test.for<[title: string, options: string[], sentence: RegExp]>([
  ['no file', ['--snapshot', 'none.json'], /none\.json: There is no such file\. Check the path\./],
  ['a folder', ['--snapshot', '.'], /\.: It is a folder\. Name a file in it\./],
  [
    'no JSON',
    ['--snapshot', 'broken.json'],
    /broken\.json: This is not a complete snapshot, because it is not JSON\. Name/,
  ],
  [
    'a fixture',
    ['--snapshot', 'fixture.json'],
    /fixture\.json: This is not a snapshot\. Take a new one.+ Name another file, or leave the/,
  ],
  [
    'one of another version',
    ['--snapshot', 'other.json'],
    /other\.json: This snapshot is of version 7, and .+ reads version 1\./,
  ],
  [
    'an empty path',
    ['--snapshot='],
    /--snapshot: "" is not the path of a snapshot: use one like world\.json\./,
  ],
  [
    'a store',
    ['--snapshot', 'other.json', '--store', 'redis://127.0.0.1:1'],
    /A snapshot \(--snapshot\) is for one server, and a store \(--store\) keeps/,
  ],
])('a snapshot with %s is refused', async ([, options, sentence]) => {
  await using folder = await aFolder({
    'broken.json': '{ "version": 1',
    'fixture.json': '{ "version": 1 }',
    'other.json': '{ "version": 7, "taken_at": "" }',
  })
  const { code, stdout, stderr } = await runCli(['--port', '0', ...options], { cwd: folder.path() })
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(sentence)
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
})
