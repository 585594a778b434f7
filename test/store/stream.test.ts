import { once } from 'node:events'
import { request } from 'node:http'
import { expect, test } from 'vitest'
import { control, createWorld, startCluster } from './support/cluster.ts'
import type { StoredWorld } from './support/cluster.ts'
import { ask } from './support/replica.ts'

/** Streams of the journal show what happens on every replica. */

interface Stream extends AsyncDisposable {
  /** The events so far, by their ids. */
  events: Map<string, string>
}

async function openStream(url: string, world: StoredWorld, lastId?: string): Promise<Stream> {
  const abort = new AbortController()
  const response = await fetch(url + control(world, '/requests/stream'), {
    signal: abort.signal,
    headers: lastId === undefined ? {} : { 'Last-Event-ID': lastId },
  })
  expect(response.status).toBe(200)
  const events = new Map<string, string>()
  const read = async () => {
    let text = ''
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
      text += piece
      const parts = text.split('\n\n')
      text = parts.pop()!
      for (const part of parts) {
        const id = /^id: ?(.+)$/m.exec(part)?.[1]
        const data = /^data: ?(.+)$/m.exec(part)?.[1]
        if (id !== undefined && data !== undefined) events.set(id, data)
      }
    }
  }
  const done = read().catch((error: unknown) => {
    if (!abort.signal.aborted) throw error
  })
  return {
    events,
    [Symbol.asyncDispose]: async () => {
      abort.abort()
      await done
    },
  }
}

test(
  'a stream shows requests and commands of every replica, and goes on from its last event on another',
  { tags: ['core'] },
  async () => {
    await using cluster = await startCluster()
    const { replicas } = cluster
    const world = await createWorld(replicas[0]!)
    const token = world.tokens['sandbox-unlimited']!
    const send = async (n: number) => {
      const { url } = replicas[n % 2]!
      expect((await ask(`${url}/api/v1/me?n=${n}`, { token })).status).toBe(200)
    }
    const shown = ({ events }: Stream) =>
      [...events.values()].flatMap((data) => /n=\d+/.exec(data) ?? [])

    let lastId: string | undefined
    {
      await using stream = await openStream(replicas[0]!.url, world)
      for (const n of [1, 2, 3, 4]) await send(n)
      await ask(replicas[1]!.url + control(world, '/clock'), { body: { advance: 'PT1H' } })
      await expect.poll(() => stream.events.size).toBe(5)
      expect(shown(stream)).toEqual(['n=1', 'n=2', 'n=3', 'n=4'])
      lastId = [...stream.events.keys()].at(-1)
    }
    for (const n of [5, 6, 7]) await send(n)
    await using stream = await openStream(replicas[1]!.url, world, lastId)
    for (const n of [8, 9]) await send(n)
    await expect.poll(() => shown(stream)).toEqual(['n=5', 'n=6', 'n=7', 'n=8', 'n=9'])
  },
)

test('streams whose clients have left while the store was slow take no place of others', async () => {
  await using cluster = await startCluster({ replicas: 1 })
  const [replica, proxy] = [cluster.replicas[0]!, cluster.proxies[0]!]
  const world = await createWorld(replica)
  const health = () => ask(`${replica.url}/_sandbox/health`)
  proxy.stall()
  const left = Array.from({ length: 10 }, () =>
    request(replica.url + control(world, '/requests/stream')).on('error', () => {}),
  )
  await Promise.all(left.map((message) => once(message.end(), 'finish')))
  // What was sent before has come by the time that this is answered.
  await health()
  for (const message of left) message.destroy()
  await health()
  proxy.resume()
  await using stream = await openStream(replica.url, world)
  expect(stream.events).toEqual(new Map())
})
