import { hasSubscribers } from 'node:diagnostics_channel'
import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { setupServer } from 'msw/node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import { handlers } from '../../src/msw.ts'
import { rehearse } from '../../src/rehearse.ts'
import type { ClientContext, RehearsedClient, RehearseOptions } from '../../src/rehearse.ts'
import { startServer } from '../../src/server.ts'
import { isFullDepth } from '../support/depth.ts'

/** A rehearsal of any client ends with a report or a readable error, and no run suffers from the leftovers of another. */

const OPTIONS: RehearseOptions = { start: '2026-01-01', until: 3 }
const DAY_MS = 86_400_000

/** Returns the end of each run of a client, with its message. */
async function endings(client: RehearsedClient, options: RehearseOptions = OPTIONS) {
  const { runs } = await rehearse(client, options)
  return runs.map(({ ended, message }) => (message === undefined ? ended : `${ended}: ${message}`))
}

function headersOf({ token }: ClientContext) {
  return { Authorization: `Bearer ${token}`, Accept: 'application/json' }
}

async function startedServer() {
  const server = await startServer({ port: 0, demo: true, rateLimit: 'unlimited' })
  onTestFinished(() => server.close())
  return server
}

const TRANSPORTS = ['a server', 'MSW'] as const

describe('a client that asks without end and without a pause', () => {
  test('is given up by its fetch', async () => {
    const ended = await endings(
      async (context) => {
        for (;;) await (await context.fetch('/api/v1/me', { headers: headersOf(context) })).text()
      },
      { ...OPTIONS, until: 2, sandbox: await createSandbox({ rateLimit: 'unlimited' }) },
    )
    const sentence = 'timeout: The run had sent 20000 requests without ending.'
    expect(ended).toEqual([sentence, sentence])
  })

  test.for(isFullDepth ? TRANSPORTS : TRANSPORTS.slice(0, 1))(
    'over %s ends the rehearsal with a sentence, and leaves the process to others',
    { timeout: 120_000 },
    async (transport) => {
      const server = transport === 'a server' ? await startedServer() : undefined
      const sandbox = server?.sandbox ?? (await createSandbox({ rateLimit: 'unlimited' }))
      const msw = setupServer(...handlers(sandbox, { baseUrl: 'https://seo.example.com' }))
      if (transport === 'MSW') msw.listen()
      const base = server?.url ?? 'https://seo.example.com'
      const end = { isOver: false }
      const rehearsal = rehearse(
        async (context) => {
          while (!end.isOver)
            await (await fetch(`${base}/api/v1/me`, { headers: headersOf(context) })).text()
        },
        { ...OPTIONS, sandbox: server ?? sandbox },
      )
      await expect(rehearsal).rejects.toThrow(
        /^Your client has kept sending requests since run 1 was given up\./,
      )
      await sleep(10)
      end.isOver = true
      msw.close()
    },
  )
})

test('a timer that is longer than a day ends its run, and the next one begins on its day', async () => {
  const seen: string[] = []
  const ended = await endings(async ({ run, now }) => {
    seen.push(now.toISOString().slice(0, 10), new Date().toISOString().slice(0, 10))
    if (run === 1) await sleep(10 * DAY_MS)
  })
  expect(ended).toEqual(['timeout: The run had not ended after a day.', 'done', 'done'])
  expect(seen).toEqual([
    '2026-01-01',
    '2026-01-01',
    '2026-01-02',
    '2026-01-02',
    '2026-01-03',
    '2026-01-03',
  ])
})

test('a run that takes until after the next one should have begun delays it, and no clock goes back', async () => {
  const times: string[][] = []
  const sandbox = await createSandbox({ demo: true })
  await rehearse(
    async ({ run, now }) => {
      times.push([
        now.toISOString(),
        new Date().toISOString(),
        sandbox.clock.read().now.slice(0, 19),
      ])
      if (run === 1) await sleep(5 * 3_600_000)
    },
    { ...OPTIONS, every: 'PT2H', sandbox },
  )
  expect(times.map(([now]) => now)).toEqual([
    '2026-01-01T06:00:00.000Z',
    '2026-01-01T11:00:00.000Z',
    '2026-01-01T11:00:00.000Z',
  ])
  for (const [now, date, world] of times) expect([date, `${world}.000Z`]).toEqual([now, now])
})

describe('what a run leaves behind', () => {
  test('throws later, which fails the run before', async () => {
    const ended = await endings(({ run }) => {
      if (run > 1) return
      setTimeout(() => {
        throw new Error('Nobody waits for this.')
      }, 3_600_000)
    })
    expect(ended).toEqual(['failed: Nobody waits for this.', 'done', 'done'])
  })

  test('does not go on once a timer has thrown, as a process would have ended', async () => {
    const steps: string[] = []
    const ended = await endings(async ({ run }) => {
      if (run > 1) return
      setTimeout(() => {
        throw new Error('The end.')
      }, 1000)
      await sleep(2000)
      steps.push('went on')
    })
    expect([ended[0], steps]).toEqual(['failed: The end.', []])
  })

  test('is discarded once a run is given up, but for timers from before', async () => {
    const fired: string[] = []
    const monotonic: number[] = []
    await rehearse(
      async ({ run }) => {
        monotonic.push(performance.now())
        if (run === 1) setInterval(() => fired.push('of run 1'), DAY_MS)
        if (run === 2) {
          setInterval(() => fired.push('of run 2'), DAY_MS / 4)
          await sleep(10 * DAY_MS)
        }
        if (run === 3) fired.splice(0)
      },
      { ...OPTIONS, until: 5 },
    )
    expect(new Set(fired)).toEqual(new Set(['of run 1']))
    expect(monotonic.toSorted((one, other) => one - other)).toEqual(monotonic)
  })

  test('runs on the timers of the machine if it is refreshed later, as those of fetch are', async () => {
    let timer: NodeJS.Timeout | undefined
    let count = 0
    await rehearse(() => {
      timer = setTimeout(() => (count += 1), 20)
    }, OPTIONS)
    const before = count
    timer!.refresh()
    await sleep(60)
    timer!.refresh()
    await sleep(60)
    expect(count).toBe(before + 2)
    timer!.refresh()
    clearTimeout(timer)
    await sleep(60)
    expect(count).toBe(before + 2)
  })

  test.for(TRANSPORTS)(
    'by failing counts as its own, though it sends requests until later, over %s',
    async (transport) => {
      const server = await startedServer()
      const { sandbox } = server
      const baseUrl = 'https://seo.example.com'
      const msw = setupServer(...handlers(sandbox, { baseUrl }))
      if (transport === 'MSW') {
        msw.listen()
        onTestFinished(() => msw.close())
      }
      const url = `${transport === 'MSW' ? baseUrl : server.url}/api/v1/me`
      const report = await rehearse(
        async (context) => {
          if (context.run > 1) return
          await sandbox.faults.set([
            { kind: 'status', status: 429, retry_after: 60, schedule: { first: 4 } },
          ])
          const readOn = async (): Promise<void> => {
            if ((await fetch(url, { headers: headersOf(context) })).ok) return
            await sleep(50_000)
            await readOn()
          }
          await Promise.all([readOn(), Promise.reject(new Error('No.'))])
        },
        { ...OPTIONS, sandbox: server },
      )
      expect(report.runs.map(({ ended, requests }) => [ended, requests])).toEqual([
        ['failed', 5],
        ['done', 0],
        ['done', 0],
      ])
      const { runs } = report.checks.find(({ id }) => id === 'retry-after')!
      expect(runs).toEqual([1])
    },
  )

  test('by failing has an hour, after which the next run begins', async () => {
    const report = await rehearse(
      async (context) => {
        const poll = async (): Promise<void> => {
          await context.fetch('/api/v1/me', { headers: headersOf(context) })
          await sleep(100_000)
          await poll()
        }
        void poll()
        throw new Error('No.')
      },
      { ...OPTIONS, until: 1 },
    )
    expect(report.runs).toMatchObject([{ ended: 'failed', message: 'No.', requests: 36 }])
  })

  test('by failing is given up if it sends requests without a pause', async () => {
    const ended = await endings(
      ({ run, ...context }) => {
        if (run > 1) return
        const poll = async (): Promise<void> => {
          await context.fetch('/api/v1/me')
          await poll()
        }
        void poll()
        throw new Error('No.')
      },
      { ...OPTIONS, sandbox: await createSandbox({ rateLimit: 'unlimited' }) },
    )
    expect(ended).toEqual([
      'timeout: The run had sent 20000 requests without ending.',
      'done',
      'done',
    ])
  })

  test('is a fetch that it may use in the next run', async () => {
    let first: ClientContext['fetch'] | undefined
    const statuses: number[] = []
    await rehearse(async (context) => {
      first ??= context.fetch
      statuses.push(
        (await first(`${context.url}/api/v1/me`, { headers: headersOf(context) })).status,
      )
    }, OPTIONS)
    expect(statuses).toEqual([200, 200, 200])
  })
})

test('a timer from before that a run clears does not run', async () => {
  let hasRun = false
  const timer = setTimeout(() => (hasRun = true), 50)
  await rehearse(() => clearTimeout(timer), { ...OPTIONS, until: 1 })
  await sleep(100)
  expect(hasRun).toBe(false)
})

test.for<[what: string, thrown: unknown, message: string]>([
  ['an object without a prototype', Object.create(null), 'It threw a map.'],
  ['nothing', undefined, 'It threw nothing.'],
  ['a text', 'No.', 'It threw "No.".'],
])('a client that throws %s has failed', async ([, thrown, message]) => {
  const ended = await endings(() => {
    throw thrown
  })
  expect(ended).toEqual([1, 2, 3].map(() => `failed: ${message}`))
})

describe('over a server', () => {
  test('a body that nobody reads holds no clock', async () => {
    const server = await startedServer()
    const ended = await endings(
      async (context) => {
        const headers = headersOf(context)
        const { status } = await fetch(`${server.url}/api/v1/projects/1001/reports/1/content`, {
          headers,
        })
        expect(status).toBe(200)
        await sleep(3_600_000)
      },
      { ...OPTIONS, sandbox: server },
    )
    expect(ended).toEqual(['done', 'done', 'done'])
  })

  test('the time limit of node:http is one of the client', async () => {
    const server = await startedServer()
    const took: number[] = []
    const ended = await endings(
      async (context) => {
        await server.sandbox.faults.set([{ kind: 'no-answer' }])
        const beganMs = Date.now()
        await new Promise((resolve, reject) => {
          const request = get(
            `${server.url}/api/v1/me`,
            { headers: headersOf(context), timeout: 7000 },
            resolve,
          )
          request.on('timeout', () => {
            took.push(Date.now() - beganMs)
            request.destroy(new Error('No response in 7 s.'))
          })
          request.on('error', reject)
        })
      },
      { ...OPTIONS, sandbox: server },
    )
    expect(ended).toEqual([1, 2, 3].map(() => 'failed: No response in 7 s.'))
    expect(took).toEqual([7000, 7000, 7000])
  })
})

describe('the world and the client have the same time', () => {
  const dates: string[] = []
  const noteDate = () => void dates.push(new Date().toISOString())

  test('in a world with a time of its own, whatever day it is', async () => {
    dates.splice(0)
    const sandbox = await createSandbox({ demo: true, now: '2024-05-04T09:00:00Z' })
    await rehearse(noteDate, { sandbox, until: 2 })
    expect(dates).toEqual(['2024-05-04T09:00:00.000Z', '2024-05-05T09:00:00.000Z'])
    await expect(rehearse(noteDate, { sandbox, start: '2024-01-01' })).rejects.toThrow(
      /^start: It is before 2024-05-04T09:00:00/,
    )
  })

  test('and a world without one is of the machine again afterwards', async () => {
    const sandbox = await createSandbox({ demo: true })
    await rehearse(noteDate, { ...OPTIONS, sandbox })
    const agoMs = Date.now() - Date.parse(sandbox.world.origin.loadedAt)
    expect(Math.abs(agoMs)).toBeLessThan(60_000)
  })

  test('when a month ends while a client asks', async () => {
    const sandbox = await createSandbox({ demo: true })
    const months = new Map<number, Set<string>>()
    const { runs } = await rehearse(
      async (context) => {
        const seen = new Set<string>()
        months.set(context.run, seen)
        for (let request = 0; request < 30; request += 1) {
          const response = await context.fetch('/api/v1/projects/1002/reports', {
            headers: headersOf(context),
          })
          const { cache_refreshed_at: at } = (await response.json()) as {
            cache_refreshed_at?: string
          }
          if (at !== undefined) seen.add(at.slice(0, 7))
        }
      },
      { start: '2026-01-01', for: 'P3M', sandbox, require: [] },
    )
    const turns = runs.filter(({ events }) =>
      events.includes('it begins ten seconds before a month ends'),
    )
    expect(turns).toHaveLength(1)
    for (const { number } of turns) expect(months.get(number)!.size).toBe(2)
    const others = runs.filter((run) => !turns.includes(run) && run.kind === 'calm')
    for (const { number } of others) expect(months.get(number)!.size).toBe(1)
  })
})

test('a state that is saved and loaded slowly is waited for', async () => {
  const loaded: unknown[] = []
  const state = {
    save: async () => {
      await sleep(60_000)
      return 'saved'
    },
    load: async (saved: string) => {
      await sleep(60_000)
      loaded.push(saved)
    },
  }
  const { kept } = await rehearse(
    () => {
      throw new Error('No.')
    },
    { ...OPTIONS, until: 10, state },
  )
  const from = { run: 2, state: 'saved' }
  await rehearse(() => {}, { ...OPTIONS, from, until: 3, state })
  expect(loaded).toEqual(['saved'])
  expect(kept.length).toBeGreaterThan(0)
  for (const one of kept) expect(one).toMatchObject({ state: 'saved' })
})

test('timers that somebody has replaced since are refused', async () => {
  const { setTimeout: own } = globalThis
  onTestFinished(() => {
    globalThis.setTimeout = own
  })
  globalThis.setTimeout = ((...args: Parameters<typeof own>) => own(...args)) as typeof own
  await expect(rehearse(() => {})).rejects.toMatchObject({ code: 'timers_faked' })
})

test('a rehearsal that cannot begin leaves nothing behind', async () => {
  const { setTimeout: own } = globalThis
  const sandbox = await createSandbox({ fixtures: { version: 1 } })
  await expect(rehearse(() => {}, { sandbox })).rejects.toMatchObject({ code: 'no_token' })
  for (const channel of ['undici:request:create', 'http.client.request.start'])
    expect(hasSubscribers(channel)).toBe(false)
  expect(globalThis.setTimeout).toBe(own)
})
