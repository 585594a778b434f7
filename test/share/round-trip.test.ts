import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { VERSION } from '../../src/contract/version.ts'
import type { Sandbox, SandboxOptions } from '../../src/index.ts'
import { compareWithSite, decodeLink, encodeLink } from '../../src/share/link.ts'
import { readSessionFile } from '../../src/share/share-world.ts'
import type { SharedSession } from '../../src/session/session.ts'
import { runs } from '../support/depth.ts'
import { AGENCY, aToken, aWorld } from '../support/worlds.ts'
import {
  anything,
  createPlayer,
  randomWorld,
  UNKNOWN_VALUE,
  VALUES,
} from '../world/random-steps.ts'
import type { RandomStep } from '../world/random-steps.ts'
import { aRequest, aShared, DIGEST, historyOf, openTab } from './tab.ts'

/**
 * *Share* creates a link to the view on screen, and opening the link replays the session and shows the same view
 * (docs/static-demo.md, "Share what is on screen").
 */

const START = new Date('2026-03-15T12:00:30.250Z')
const LATER = new Date('2031-01-01T00:00:00Z')

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: START })
})
afterEach(() => {
  vi.useRealTimers()
})

const SITES: SandboxOptions[] = [
  { fixtures: randomWorld() },
  {
    fixtures: randomWorld({ frozen: false, now: 'now-3d' }),
    rateLimit: '3/min,30/h',
    latency: '10-90',
  },
  {
    fixtures: randomWorld({ generate: { projects: 4 }, progress: { mode: 'time' } }),
    seed: 'spring',
    policies: { 'data-refresh': 'stale', 'rate-window': 'clock-aligned' },
    showGaps: true,
  },
  { demo: true },
  { now: '2026-02-28T23:59:50Z' },
]

async function play(sandbox: Sandbox, steps: readonly RandomStep[]): Promise<void> {
  const player = createPlayer(sandbox)
  for (const step of steps) await player(step)
}

/** Returns the session as its recipient gets it: through a link, if it fits into one. */
async function sent(shared: SharedSession): Promise<SharedSession> {
  const link = await encodeLink(shared)
  vi.setSystemTime(LATER)
  return link === undefined
    ? (JSON.parse(JSON.stringify(shared)) as SharedSession)
    : decodeLink(link)
}

describe('what is shared', () => {
  test('shows the same in another tab: every response, the journal, the review and the clocks', async () => {
    const seen = { links: 0, restarted: new Set<unknown>() }
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...SITES),
        fc.array(anything, { minLength: 20, maxLength: 120 }),
        async (options, steps) => {
          vi.setSystemTime(START)
          const tab = await openTab(options)
          await play(tab.sandbox, steps)
          const shown = await historyOf(tab.sandbox)
          const shared = await tab.share()
          if ((await encodeLink(shared)) !== undefined) seen.links += 1
          const [first] = shared.steps
          if (first && 'command' in first) seen.restarted.add(first.command.type)

          const opened = await tab.open(await sent(shared))
          expect(await historyOf(opened)).toEqual(shown)
        },
      ),
      { numRuns: runs(300), endOnFailure: true },
    )
    expect(seen.links).toBeGreaterThan(10)
    expect([...seen.restarted]).toEqual(expect.arrayContaining(['reset', 'scenario.load']))
  })

  test('is shared as the same again by the tab that opened it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...SITES),
        fc.array(anything, { maxLength: 60 }),
        async (options, steps) => {
          vi.setSystemTime(START)
          const tab = await openTab(options)
          await play(tab.sandbox, steps)
          const shared = await tab.share('panel=faults')
          const opened = await tab.open(await sent(shared))
          expect(await opened.share('panel=faults')).toEqual(shared)
        },
      ),
      { numRuns: runs(60) },
    )
  })

  test('is without any bearer value, wherever one was sent', async () => {
    const values = [...Object.values(VALUES), UNKNOWN_VALUE, 'dXNlcjpwYXNzd29yZA==']
    await fc.assert(
      fc.asyncProperty(fc.array(anything, { maxLength: 80 }), async (steps) => {
        const tab = await openTab({ fixtures: randomWorld() })
        await play(tab.sandbox, steps)
        const text = JSON.stringify(await tab.share(`panel=traffic&search=${VALUES.manager}`))
        for (const value of values) expect(text).not.toContain(value)
      }),
      { numRuns: runs(60) },
    )
  })

  test('skips the delays of faults', async () => {
    const tab = await openTab({ fixtures: randomWorld() })
    await tab.sandbox.faults.add({ kind: 'latency', min_ms: 60_000, max_ms: 60_000 })
    await tab.sandbox.faults.add({ kind: 'no-answer' })
    tab.sandbox.answer({
      ...aRequest().request,
      clientIp: '127.0.0.1',
      header: () => undefined,
    })
    const opened = await tab.open(await sent(await tab.share()))
    expect(opened.requests.all()).toMatchObject([{ status: 0, faults: [1, 2] }])
  })

  test('finds the tokens of the site again, whatever they are called', async () => {
    const names = ['token-2', 'token-3', 'unknown', 'token-1']
    const tokens = names.map((token, index) =>
      aToken({ id: index + 1, name: `Number ${index}`, token }),
    )
    const tab = await openTab({ fixtures: aWorld({ tokens }) })
    for (const value of [...names, UNKNOWN_VALUE]) {
      await tab.sandbox.fetch('/api/v1/me', { headers: { authorization: `Bearer ${value}` } })
    }
    const opened = await tab.open(await sent(await tab.share()))
    expect(opened.requests.all().map(({ token_id }) => token_id)).toEqual([1, 2, 3, 4, null])
    const response = await opened.fetch('/api/v1/me', {
      headers: { authorization: 'Bearer token-3' },
    })
    expect(response.status).toBe(200)
  })

  test('finds the tokens of a scenario again, which followed fixtures with others', async () => {
    const tab = await openTab()
    await tab.sandbox.command({ type: 'fixtures.load', fixtures: randomWorld() })
    await tab.sandbox.command({ type: 'scenario.load', scenario: 'late-finisher' })
    for (const value of ['sandbox-agency', VALUES.limited, 'sandbox-super', VALUES.manager]) {
      await tab.sandbox.fetch('/api/v1/me', { headers: { authorization: `Bearer ${value}` } })
    }
    const opened = await tab.open(await sent(await tab.share()))
    expect(opened.requests.all().map(({ status }) => status)).toEqual([200, 401, 200, 401])
  })

  test('goes on from when it was shared', async () => {
    const tab = await openTab({ fixtures: randomWorld({ frozen: false }) })
    await tab.sandbox.clock.advance('P2D')
    vi.setSystemTime(START.getTime() + 60_000)
    await tab.sandbox.fetch('/api/v1/me')
    vi.setSystemTime(START.getTime() + 90_000)
    const shown = tab.sandbox.clock.read()
    const opened = await tab.open(await sent(await tab.share()))
    expect(opened.clock.read()).toEqual(shown)
    await opened.command({ type: 'scenario.load', scenario: 'late-finisher' })
    await opened.reset()
    expect(opened.world.options.seed).toBe(opened.world.seed)
  })

  test('is the session that a command has just started, where one does meanwhile', async () => {
    const tab = await openTab({ fixtures: randomWorld() })
    const commands = [
      tab.sandbox.command({ type: 'fixtures.load', fixtures: aWorld() }),
      tab.sandbox.reset(),
    ]
    const shared = await tab.share()
    await Promise.all(commands)
    const opened = await tab.open(shared)
    expect(opened.world.records.all('projects')).toEqual(tab.sandbox.world.records.all('projects'))
  })

  test('is a session file where it is more than 64 kB, or more than 500 steps', async () => {
    const tab = await openTab({ fixtures: randomWorld() })
    for (let count = 0; count < 501; count += 1) await tab.sandbox.fetch('/api/v1/me')
    expect(await encodeLink(await tab.share())).toBeUndefined()
    const file = JSON.stringify(await tab.sandbox.session())
    const shown = await historyOf(tab.sandbox)
    vi.setSystemTime(LATER)
    const shared = await readSessionFile(file, { digest: DIGEST, own: tab.own })
    expect(compareWithSite(shared, { version: VERSION, digest: DIGEST })).toBeUndefined()
    expect(await historyOf(await tab.open(shared))).toEqual(shown)

    const text = Array.from({ length: 20_000 }, (_, index) =>
      (index * 7919 * index).toString(36),
    ).join()
    const steps = [aRequest({ query: `search=${text}` })]
    expect(await encodeLink(aShared({ steps }))).toBeUndefined()
  })

  test('is of another site where its session file began otherwise', async () => {
    const [tab, other] = [await openTab({ fixtures: randomWorld() }), await openTab({})]
    const file = JSON.stringify(await other.sandbox.session())
    const shared = await readSessionFile(file, { digest: DIGEST, own: tab.own })
    expect(compareWithSite(shared, { version: VERSION, digest: DIGEST })).toMatch(/other fixtures/)
  })

  test('begins with fixtures that were loaded, in a session file too', async () => {
    const tab = await openTab({ fixtures: randomWorld() })
    const loaded = aToken({ id: 1, name: 'Loaded', token: AGENCY })
    await tab.sandbox.command({ type: 'fixtures.load', fixtures: aWorld({ tokens: [loaded] }) })
    await tab.sandbox.reset()
    await tab.sandbox.fetch('/api/v1/projects', {
      headers: { authorization: `Bearer ${AGENCY}` },
    })
    const file = JSON.stringify(await tab.sandbox.session())
    const shown = await historyOf(tab.sandbox)
    vi.setSystemTime(LATER)
    const shared = await readSessionFile(file, { digest: DIGEST, own: tab.own })
    expect(compareWithSite(shared, { version: VERSION, digest: DIGEST })).toBeUndefined()
    expect(await historyOf(await tab.open(shared))).toEqual(shown)
  })
})

describe('before anything runs', () => {
  const site = { version: VERSION, digest: DIGEST }

  test.each([
    [{ release: '9.9.9' }, `release 9.9.9 of the sandbox, where this site has ${VERSION}`],
    [{ digest: 'sha256-x' }, 'other fixtures or options than those of this site'],
    [
      { release: '9.9.9', digest: 'sha256-x' },
      `release 9.9.9 of the sandbox, where this site has ${VERSION}, and with other fixtures or options than those of this site`,
    ],
  ])(
    'a difference from the site is said: %o',
    ({ release = VERSION, digest = DIGEST }: { release?: string; digest?: string }, named) => {
      expect(compareWithSite({ release, site: { ...aShared().site, digest } }, site)).toBe(
        `This was made with ${named}: what it shows here may differ from what its sender saw.`,
      )
    },
  )

  test('nothing is said where there is none', () => {
    expect(compareWithSite(aShared(), site)).toBeUndefined()
  })
})
