import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { promises as timersModule } from 'node:timers'
import { scheduler, setInterval as everyMs, setTimeout as sleep } from 'node:timers/promises'
import process from 'node:process'
import { promisify } from 'node:util'
import axios from 'axios'
import { got } from 'got'
import ky from 'ky'
import { setupServer } from 'msw/node'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import { handlers } from '../../src/msw.ts'
import { RehearsalError, rehearse } from '../../src/rehearse.ts'
import type { ClientContext, RehearsalReport } from '../../src/rehearse.ts'
import { startServer } from '../../src/server.ts'

/** One owner of time: a client never really waits, and never runs out of time while a response is on its way. */

const START = '2026-03-01'
const BASE = 'https://seo.example.com'
const realNow = Date.now
/** Globals and methods that a rehearsal replaces. */
const REPLACED: readonly (readonly [object: object, name: string])[] = [
  ...['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'Intl'].map(
    (name) => [globalThis, name] as const,
  ),
  [performance, 'now'],
  [process, 'hrtime'],
  [Math, 'random'],
  [AbortSignal, 'timeout'],
  [scheduler, 'wait'],
  [timersModule, 'setTimeout'],
  [timersModule, 'setInterval'],
]

/** Returns their current values. */
function replaced(): unknown[] {
  return REPLACED.map(([object, name]) => Reflect.get(object, name) as unknown)
}

type Get = (url: string, context: ClientContext) => Promise<unknown>

const headers = { Authorization: 'Bearer sandbox-unlimited', Accept: 'application/json' }
const LIMIT_MS = 10_000

const CLIENTS: Record<string, Get> = {
  fetch: async (url, { fetch: own }) => {
    const response = await own(url, { headers, signal: AbortSignal.timeout(LIMIT_MS) })
    return response.json()
  },
  ky: (url, { fetch: own }) => ky(url, { headers, timeout: LIMIT_MS, retry: 0, fetch: own }).json(),
  axios: (url) => axios.get(url, { headers, timeout: LIMIT_MS }),
  got: (url) => got(url, { headers, timeout: { request: LIMIT_MS }, retry: { limit: 0 } }).json(),
}

/** Ways for a client to reach the sandbox. */
const TRANSPORTS = ['sandbox.fetch', 'MSW', 'a server'] as const

const WAYS = TRANSPORTS.flatMap((transport) =>
  Object.keys(CLIENTS)
    // The other clients cannot use a given fetch.
    .filter((name) => transport !== 'sandbox.fetch' || name === 'fetch' || name === 'ky')
    .map((name) => [name, transport] as const),
)

test.for(WAYS)(
  '%s over %s: 20 requests, delayed, sent slowly and never answered, take the time that they should and no other',
  async ([name, transport]) => {
    const server = await startServer({ port: 0, demo: true })
    onTestFinished(() => server.close())
    const { sandbox } = server
    const msw =
      transport === 'MSW' ? setupServer(...handlers(sandbox, { baseUrl: BASE })) : undefined
    msw?.listen()
    const took: number[] = []
    const failures: unknown[] = []
    await rehearse(
      async (context) => {
        await sandbox.faults.set([
          { kind: 'latency', ms: 8000, schedule: { nth: 3 } },
          { kind: 'no-answer', schedule: { nth: 5 } },
          { kind: 'slow-body', ms: 5000, schedule: { nth: 7 } },
        ])
        const url = transport === 'a server' ? server.url : BASE
        const own = transport === 'sandbox.fetch' ? context.fetch : globalThis.fetch
        for (let request = 1; request <= 20; request += 1) {
          const beganMs = Date.now()
          await CLIENTS[name]!(`${url}/api/v1/me`, { ...context, fetch: own }).catch((error) =>
            failures.push(error),
          )
          took.push(Math.round((Date.now() - beganMs) / 1000))
        }
      },
      { sandbox, start: START, until: 1, require: [] },
    )
    msw?.close()
    const expected = Array.from({ length: 20 }, () => 0)
    Object.assign(expected, { 2: 8, 4: 10, 6: 5 })
    expect(took).toEqual(expected)
    expect(failures).toHaveLength(1)
  },
)

describe('sleeping takes no time of the machine, and that of the client is as long as it should be:', () => {
  const HOUR_MS = 3_600_000
  const sleeps: Record<string, () => unknown> = {
    setTimeout: () => new Promise((resolve) => setTimeout(resolve, HOUR_MS)),
    'a promisified setTimeout': () => promisify(setTimeout)(HOUR_MS),
    setInterval: () =>
      new Promise<void>((resolve) => {
        let count = 0
        const timer = setInterval(() => {
          count += 1
          if (count < 6) return
          clearInterval(timer)
          resolve()
        }, HOUR_MS / 6)
      }),
    'setTimeout of node:timers/promises': () => sleep(HOUR_MS),
    'promises of node:timers': () => timersModule.setTimeout(HOUR_MS),
    'setInterval of node:timers/promises': async () => {
      let count = 0
      for await (const _ of everyMs(HOUR_MS / 6)) if ((count += 1) === 6) break
    },
    'scheduler.wait': () => scheduler.wait(HOUR_MS),
    'AbortSignal.timeout': () => once(AbortSignal.timeout(HOUR_MS), 'abort'),
    'a loop that reads the time': () => {
      const untilMs = Date.now() + HOUR_MS
      while (Date.now() < untilMs);
    },
    'a loop that reads performance.now': () => {
      const untilMs = performance.now() + HOUR_MS
      while (performance.now() < untilMs);
    },
  }

  test.for(Object.entries(sleeps))('%s', async ([, pause]) => {
    const realMs = realNow()
    let tookMs: number[] = []
    await rehearse(
      async () => {
        const [dateMs, monotonicMs] = [Date.now(), performance.now()]
        await pause()
        tookMs = [Date.now() - dateMs, performance.now() - monotonicMs]
      },
      { start: START, until: 1, require: [] },
    )
    expect(tookMs.map((ms) => Math.round(ms / 1000))).toEqual([3600, 3600])
    expect(realNow() - realMs).toBeLessThan(60_000)
  })
})

test('a file that is read, and another program, are waited for', async () => {
  const seen: unknown[] = []
  const report = await rehearse(
    async () => {
      setTimeout(() => seen.push('the timer'), 1000)
      seen.push((await readFile(import.meta.filename, 'utf8')).length > 1000)
      const { stdout } = await promisify(execFile)(process.execPath, ['-p', '1 + 1'])
      seen.push(stdout.trim())
    },
    { start: START, until: 1, require: [] },
  )
  expect(report.runs.map(({ ended }) => ended)).toEqual(['done'])
  expect(seen.filter((one) => one !== 'the timer')).toEqual([true, '2'])
  expect(seen[0]).toBe(true)
})

describe('a client that really waits is named, after 5 s:', () => {
  const [taken, clearTaken] = [setTimeout, clearTimeout]
  const clients: Record<string, [client: () => unknown, reason: RegExp]> = {
    'a promise that nobody resolves': [
      () => new Promise(() => {}),
      /a promise that nobody resolves/,
    ],
    'a setTimeout taken before': [
      () =>
        new Promise((resolve) => {
          const timer = taken(resolve, 60_000)
          onTestFinished(() => clearTaken(timer))
        }),
      /It may hold a timer of the machine/,
    ],
    'a loop of setImmediate until a time': [
      async () => {
        const untilMs = Date.now() + 1000
        while (Date.now() < untilMs) await new Promise((resolve) => setImmediate(resolve))
      },
      /a promise that nobody resolves|a timer of the machine/,
    ],
  }

  test.for(Object.entries(clients))('%s', { timeout: 20_000 }, async ([, [client, reason]]) => {
    const rehearsal = rehearse(({ run }) => (run < 2 ? undefined : client()), {
      start: START,
      require: [],
    })
    await expect(rehearsal).rejects.toThrow(
      /^Your client has been waiting in real time since run 2\. /,
    )
    await expect(rehearsal).rejects.toThrow(reason)
    await expect(rehearsal).rejects.toMatchObject({ name: 'RehearsalError', code: 'stalled' })
  })
})

describe('everything is restored', () => {
  afterEach(() => void vi.useRealTimers())

  const ENDS: Record<string, () => unknown> = {
    'is done': () => {},
    throws: () => {
      throw new Error('No.')
    },
    'throws in a timer': () => {
      setTimeout(() => {
        throw new Error('Too late.')
      }, 10)
      return sleep(1000)
    },
    'leaves timers behind': () => {
      setInterval(() => {}, 1000)
      setTimeout(() => {}, 1e9)
    },
  }

  test.for(Object.entries(ENDS))('after a client that %s', async ([name, client]) => {
    const before = replaced()
    let during: unknown[] = []
    const watched = (): unknown => {
      during = replaced()
      return client()
    }
    const report = await rehearse(watched, { start: START, until: 2, require: [] })
    expect(report.runs.map(({ ended }) => ended)).toEqual(
      name.startsWith('throws') ? ['failed', 'failed'] : ['done', 'done'],
    )
    expect(replaced()).toEqual(before)
    expect(during.filter((one, index) => one === before[index])).toEqual([])
    expect(Object.hasOwn(scheduler, 'wait')).toBe(false)
    await sleep(1)
  })

  test('once a signal is aborted, and another rehearsal may begin', async () => {
    const before = replaced()
    const controller = new AbortController()
    const { signal } = controller
    const sandbox = await createSandbox()
    let next: Promise<RehearsalReport> | undefined
    let after: unknown[] = []
    const rehearsal = rehearse(
      ({ run }) => {
        if (run === 2) {
          controller.abort(new Error('The time is up.'))
          after = replaced()
          next = rehearse(() => sleep(1000), { sandbox, start: START, until: 2 })
        }
        return sleep(1000)
      },
      { sandbox, start: START, signal },
    )
    await expect(rehearsal).rejects.toThrow('The time is up.')
    expect(after).toEqual(before)
    expect((await next!).runs.map(({ ended }) => ended)).toEqual(['done', 'done'])
    expect(replaced()).toEqual(before)
    await expect(rehearse(() => {}, { signal })).rejects.toThrow('The time is up.')
  })

  test('if a signal is aborted while a rehearsal begins', async () => {
    const before = replaced()
    const sandbox = await createSandbox()
    for (let turns = 0; turns < 40; turns += 1) {
      const controller = new AbortController()
      const rehearsal = rehearse(() => {}, { sandbox, start: START, signal: controller.signal })
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
      controller.abort(new Error('The time is up.'))
      await expect(rehearsal).rejects.toThrow('The time is up.')
      expect(replaced()).toEqual(before)
    }
  })

  const beforeTests = replaced()
  test.fails('after the time limit of a test', { timeout: 100 }, async ({ signal }) => {
    await rehearse(() => new Promise(() => {}), { start: START, signal })
  })
  test('so that the next test has the clock of the machine', () => {
    expect(replaced()).toEqual(beforeTests)
  })

  test('a signal that is none is refused', async () => {
    const signal = 50 as unknown as AbortSignal
    await expect(rehearse(() => {}, { signal })).rejects.toThrow(
      'signal: 50 is not an AbortSignal. Pass that of the test.',
    )
  })

  test('timers that are faked already are refused, with what to do', async () => {
    vi.useFakeTimers()
    await expect(rehearse(() => {})).rejects.toThrow(
      /^The timers of this process are faked already\. Leave out vi\.useFakeTimers/,
    )
    expect(vi.isFakeTimers()).toBe(true)
  })

  test('a second rehearsal has to wait for the first', async () => {
    const first = rehearse(() => sleep(10), { start: START, until: 3, require: [] })
    await expect(rehearse(() => {})).rejects.toThrow(RehearsalError)
    expect((await first).runs).toHaveLength(3)
  })
})

test('both clocks of the world are those of the client, and the world clock stands still within a run', async () => {
  const times: string[][] = []
  const sandbox = await createSandbox({ demo: true })
  await rehearse(
    async ({ now }) => {
      const before = sandbox.clock.read()
      await sleep(90_000)
      const after = sandbox.clock.read()
      times.push([now.toISOString(), before.now, before.rate_clock, after.now, after.rate_clock])
    },
    { sandbox, start: START, until: 2, require: [] },
  )
  const at = (time: string) => `2026-03-${time}.000000Z`
  expect(times).toEqual([
    [
      '2026-03-01T06:00:00.000Z',
      ...['01T06:00:00', '01T06:00:00', '01T06:00:00', '01T06:01:30'].map(at),
    ],
    [
      '2026-03-02T06:00:00.000Z',
      ...['02T06:00:00', '02T06:00:00', '02T06:00:00', '02T06:01:30'].map(at),
    ],
  ])
})
