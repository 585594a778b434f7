import { expect, test } from 'vitest'
import { LoadedWorlds } from '../../src/store/loaded-worlds.ts'

/** Worlds of a store in the memory of a server: up to a number and a total, besides those in use. */

/** Holds worlds by name, the least recently used first; those in `used` are in use. */
function aServer(limits: { worlds: number; bytes: number }) {
  const held = new Map<string, number>()
  const used = new Set<string>()
  const loaded = new LoadedWorlds(limits, () => {
    const next = [...held].find(([name]) => !used.has(name))
    if (!next) return false
    held.delete(next[0])
    loaded.free(next[1])
    return true
  })
  const load = (name: string, bytes = 1) =>
    loaded.load(bytes, async () => void held.set(name, bytes))
  return { loaded, load, used, held: () => [...held.keys()] }
}

test('the least recently used world is unloaded for one more than the number', async () => {
  const { load, held } = aServer({ worlds: 2, bytes: 1000 })
  for (const name of ['a', 'b', 'c']) await load(name)
  expect(held()).toEqual(['b', 'c'])
})

test('worlds are unloaded until one has room, and its text while it is loaded', async () => {
  const { load, held } = aServer({ worlds: 10, bytes: 100 })
  for (const name of ['a', 'b', 'c']) await load(name, 30)
  expect(held()).toEqual(['b', 'c'])
  await load('d', 50)
  expect(held()).toEqual(['d'])
})

test('a world that is larger than the total is held alone', async () => {
  const { load, held } = aServer({ worlds: 10, bytes: 100 })
  await load('a', 10)
  await load('large', 500)
  expect(held()).toEqual(['large'])
})

test('a world that grows unloads others, and none that is in use', async () => {
  const { load, loaded, held, used } = aServer({ worlds: 10, bytes: 100 })
  for (const name of ['a', 'b', 'c']) await load(name, 20)
  used.add('a').add('c')
  loaded.grow(50)
  expect(held()).toEqual(['a', 'c'])
})

test('a load waits until a world is no longer in use, and is refused after two seconds', async () => {
  const { load, loaded, used, held } = aServer({ worlds: 1, bytes: 100 })
  await load('a')
  used.add('a')
  const waiting = load('b')
  const refused = { code: 'too_busy', message: expect.stringContaining('full of other worlds') }
  used.delete('a')
  loaded.noteUnused()
  await waiting
  expect(held()).toEqual(['b'])
  used.add('b')
  await expect(load('c')).rejects.toMatchObject(refused)
})

test('a load that fails takes no room', async () => {
  const { load, loaded, held } = aServer({ worlds: 2, bytes: 100 })
  await load('a', 40)
  const failed = loaded.load(20, () => Promise.reject(new Error('lost')))
  await expect(failed).rejects.toThrow('lost')
  await load('b', 30)
  expect(held()).toEqual(['a', 'b'])
})
