import { deflateRawSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { SandboxOptions } from '../../src/index.ts'
import type { SharedSession } from '../../src/session/session.ts'
import { decodeLink, encodeLink, MAXIMUM_LENGTH } from '../../src/share/link.ts'
import { readSessionFile } from '../../src/share/share-world.ts'
import { replayShared } from '../../src/share/replay-shared.ts'
import type { TabClock } from '../../src/share/replay-shared.ts'
import { ShareError } from '../../src/share/share-error.ts'
import { aWorld } from '../support/worlds.ts'
import { aCommand, aRequest, aShared, CLOCK, DIGEST, linkOf, openTab } from './tab.ts'
import type { SharedStep } from './tab.ts'

/**
 * A hostile link is refused with a sentence, and nothing runs beyond the rights of a partner's key (docs/static-demo.md, "Share
 * what is on screen").
 */

/** Creates a link with these steps. */
const withSteps = (...steps: unknown[]) =>
  linkOf(JSON.stringify(aShared({ steps: inOrder(steps as SharedStep[]) })))
const withShared = (changes: object) => linkOf(JSON.stringify({ ...aShared(), ...changes }))
/** Creates a link with fixtures that were loaded earlier. */
const withLoaded = (seed: object, ...steps: SharedStep[]) =>
  withShared({ beginning: { ...aShared().beginning, seed }, steps })
const withSite = (changes: object) => withShared({ site: { ...aShared().site, ...changes } })
const linkOfBytes = (bytes: Uint8Array) => `s1.${Buffer.from(bytes).toString('base64url')}`
const inOrder = (steps: SharedStep[]) =>
  steps.map((step, index) => ({ ...step, sequence: index + 1 }))
const many = (count: number, step: SharedStep) => Array.from({ length: count }, () => step)

const AGAIN = 'copy it again, all of it.'
const CHANGED = 'ask for it again, and copy all of it.'
const ANOTHER = 'ask whoever sent it for another one.'

const changedAt = (place: string) =>
  `This link was changed, or made by another release, at ${place}: ${CHANGED}`

const EMPTY = {
  agencies: [],
  tokens: [],
  countries: [],
  languages: [],
  users: [],
  projects: [],
  keywords: [],
  reports: [],
}

const KEYWORD = {
  project: 1,
  keyword: 'otter',
  create_date: '2026-01-01',
  active: true,
  url: null,
  latest_position: null,
  status_200: null,
}
const keywords = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ ...KEYWORD, id: index + 1 }))
const putKeyword = (id: number, fields: object = KEYWORD) =>
  aCommand({ type: 'record.put', collection: 'keywords', record: { ...fields, id } })

const slow = (ms: number) => ({ kind: 'latency', ms })
const armSlow = (ms: number) => aCommand({ type: 'fault.add', fault: slow(ms) })
const disarm = (id: number) => aCommand({ type: 'fault.remove', id })

const aLoad = (seed: object) => ({
  ...aCommand({ type: 'fixtures.load', fixtures: {} }),
  seed: { policies: {}, records: EMPTY, ...seed },
})

const LINKS: [title: string, link: () => string | Promise<string>, sentence: string][] = [
  [
    'without its prefix',
    () => 'panel=traffic',
    `This is not a link of a sandbox, which begins with s1. after the #: ${AGAIN}`,
  ],
  [
    'of a later format',
    () => 's2.q1bKTS0qyclPVrIqKSpN1VHKzU9MUbKqrgUA',
    'This link is of another release of the sandbox: open it on the site that made it.',
  ],
  [
    'too long',
    () => `s1.${'A'.repeat(MAXIMUM_LENGTH)}`,
    `This link has 65539 characters, and a link may have 65536: ask for a session file.`,
  ],
  [
    'not in Base64',
    () => 's1.<script>alert(1)</script>',
    `This link is not in the format of links: ${AGAIN}`,
  ],
  [
    'with one character too many',
    () => 's1.AAAAA',
    `This link is not in the format of links: ${AGAIN}`,
  ],
  [
    'not deflated',
    () => linkOfBytes(Buffer.from('{"version":"0.1.0"}')),
    `This link is damaged, and cannot be unpacked: ${AGAIN}`,
  ],
  [
    'that unpacks to 1 MB and a byte',
    () => linkOfBytes(deflateRawSync(Buffer.alloc(2 ** 20 + 1, ' '))),
    'This link unpacks to more than 1 MB: ask for a session file.',
  ],
  [
    'that is not UTF-8',
    () => linkOfBytes(deflateRawSync(Buffer.from([0x22, 0xff, 0x22]))),
    `This link has something other than text in it: ${AGAIN}`,
  ],
  [
    'that is not JSON',
    () => linkOf('{"version":'),
    `This link has something other than JSON in it: ${AGAIN}`,
  ],
  [
    'that is nested too deeply',
    () => linkOf('['.repeat(65) + ']'.repeat(65)),
    'This link is nested more than 64 levels deep: ask for another one.',
  ],
  [
    'that is a text',
    () => linkOf('"hello"'),
    `This link was changed, or made by another release: ${CHANGED}`,
  ],
  ['with a field more', () => withShared({ token: 'x' }), changedAt('token')],
  ['with markup for a release', () => withShared({ release: '<b>1</b>' }), changedAt('release')],
  ['with a screen that is no text', () => withSite({ screen: 7 }), changedAt('site.screen')],
  [
    'that begins in the year 3000',
    () => withShared({ beginning: { at_ms: Date.UTC(3000, 0) } }),
    changedAt('beginning.at_ms'),
  ],
  ['with a huge number', () => withSite({ shared_ms: 1e308 }), changedAt('site.shared_ms')],
  ['with a step that is nothing', () => withSteps({ at_ms: 1 }), changedAt('steps[0].request')],
  [
    'with a step of the year 3000',
    () => withSteps({ ...aRequest(), at_ms: Date.UTC(3000, 0) }),
    changedAt('steps[0].at_ms'),
  ],
  [
    'with a header that sessions do not have',
    () => withSteps({ ...aRequest(), request: { ...aRequest().request, cookie: 'a' } }),
    changedAt('steps[0].request.cookie'),
  ],
  [
    'with 501 steps',
    () => withSteps(...many(251, aCommand({ type: 'rate.clear' })), ...many(250, aRequest())),
    'This link has 501 steps, and a link may have 500: ask whoever sent it for a session file.',
  ],
  [
    'with an unknown command',
    () => withSteps(aCommand({ type: 'world.drop', id: 'w1' })),
    changedAt('steps[0].command'),
  ],
  [
    'with a command that is not complete',
    () => withSteps(aRequest(), aCommand({ type: 'clock.advance' })),
    changedAt('steps[1].command'),
  ],
  [
    'with fixtures to read',
    () =>
      withSteps(
        aCommand({
          type: 'fixtures.load',
          fixtures: { files: [{ name: '/etc/passwd', text: '' }] },
        }),
      ),
    changedAt('steps[0].seed'),
  ],
  [
    'with a seed where none belongs',
    () => withSteps({ ...aLoad({}), command: { type: 'reset' } }),
    changedAt('steps[0].seed'),
  ],
  [
    'that starts the world again in the middle',
    () => withSteps(aRequest(), aCommand({ type: 'reset' })),
    changedAt('steps[1]'),
  ],
  [
    'with fixtures before a step that starts nothing',
    () => withLoaded({ policies: {}, records: EMPTY }, aRequest()),
    changedAt('beginning.seed'),
  ],
  [
    'that first generates 100,000 projects',
    () =>
      withLoaded(
        { policies: {}, records: EMPTY, generate: { projects: 100_000 } },
        aCommand({ type: 'reset' }),
      ),
    `The starting world of this link has 100000 projects, and a link may have 1000: ${ANOTHER}`,
  ],
  [
    'that generates 100,000 projects',
    () => withSteps(aLoad({ generate: { projects: 100_000 } })),
    `Step 1 of this link has 100000 projects, and a link may have 1000: ${ANOTHER}`,
  ],
  [
    'that arms 201 faults at once',
    () =>
      withSteps(
        aCommand({
          type: 'fault.set',
          faults: Array.from({ length: 201 }, () => ({ kind: 'html' })),
        }),
      ),
    `Step 1 of this link has 201 faults, and a link may have 200: ${ANOTHER}`,
  ],
  [
    'that arms 201 faults one by one',
    () =>
      withSteps(
        aCommand({
          type: 'fault.set',
          faults: Array.from({ length: 150 }, () => ({ kind: 'html' })),
        }),
        ...many(51, aCommand({ type: 'fault.add', fault: { kind: 'html' } })),
      ),
    `Step 52 of this link has 201 faults, and a link may have 200: ${ANOTHER}`,
  ],
  [
    'that loads 501 keywords of a project',
    () => withSteps(aLoad({ records: { ...EMPTY, keywords: keywords(501) } })),
    `Step 1 of this link has 501 keywords in a project, and a link may have 500: ${ANOTHER}`,
  ],
  [
    'that adds a keyword to 500 that it loads',
    () => withSteps(aLoad({ records: { ...EMPTY, keywords: keywords(500) } }), putKeyword(501)),
    `Step 2 of this link has 501 keywords in a project, and a link may have 500: ${ANOTHER}`,
  ],
  [
    'that adds a keyword to 500 of its starting world',
    () =>
      withLoaded(
        { policies: {}, records: { ...EMPTY, keywords: keywords(500) } },
        aCommand({ type: 'reset' }),
        putKeyword(501),
      ),
    `Step 2 of this link has 501 keywords in a project, and a link may have 500: ${ANOTHER}`,
  ],
  [
    'that moves a keyword to a project with 500',
    () =>
      withSteps(
        aLoad({ records: { ...EMPTY, keywords: keywords(500) } }),
        aCommand({ type: 'record.patch', collection: 'keywords', id: 900, patch: { project: 1 } }),
      ),
    `Step 2 of this link has 501 keywords in a project, and a link may have 500: ${ANOTHER}`,
  ],
  [
    'that delays a response by 61 s at once',
    () => withSteps(aCommand({ type: 'fault.set', faults: [slow(31_000), slow(30_000)] })),
    `Step 1 of this link has 61000 ms of delay by its faults, and a link may have 60000: ${ANOTHER}`,
  ],
  [
    'that delays a response by 61 s with one fault after the other',
    () => withSteps(armSlow(30_000), armSlow(1000), disarm(1), armSlow(31_000)),
    `Step 4 of this link has 61000 ms of delay by its faults, and a link may have 60000: ${ANOTHER}`,
  ],
  [
    'with a name of 201 characters',
    () =>
      withSteps(
        aCommand({
          type: 'record.put',
          collection: 'countries',
          record: { id: 5, label: 'a'.repeat(201) },
        }),
      ),
    `Step 1 of this link has a text that is too long: ${ANOTHER}`,
  ],
  [
    'to the control API',
    () => withSteps(aRequest({ path: '/_sandbox/worlds' })),
    `Step 1 of this link is a request to something other than the API: ${ANOTHER}`,
  ],
  [
    'to another server',
    () => withSteps(aRequest({ path: 'https://example.com/api/v1/me' })),
    `Step 1 of this link is a request to something other than the API: ${ANOTHER}`,
  ],
  [
    'with a method of two lines',
    () => withSteps(aRequest({ method: 'GET\r\nX: 1' })),
    'This link was changed, or made by another release, at steps[0].request.method: ask for it again, and copy all of it.',
  ],
  [
    'from a page of a script',
    () => withSteps(aRequest({ origin: 'javascript:alert(1)' })),
    `Step 1 of this link is a request to a server that has no address: ${ANOTHER}`,
  ],
]

/** Opens a link in full: decodes and replays it. */
async function open(link: string, options: SandboxOptions = { fixtures: aWorld() }) {
  return replay(await decodeLink(link), options)
}

const replay = (
  shared: SharedSession,
  options: SandboxOptions = { fixtures: aWorld() },
  clock: TabClock = CLOCK,
) => replayShared(shared, { create: () => createSandbox(options), clock })

/** Creates the clock of a tab in which each step takes this long. */
function slowly(stepMs: number): TabClock {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  const stopAt = (ms: number) => {
    vi.advanceTimersByTime(stepMs)
    vi.setSystemTime(ms)
  }
  return { ...CLOCK, stopAt }
}

async function refusalOf(opening: Promise<unknown>): Promise<string> {
  const error: unknown = await opening.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ShareError)
  return (error as ShareError).message
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 2, 15) })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a link', () => {
  test.each(LINKS)('%s is refused with a sentence', async (_, link, sentence) => {
    expect(await refusalOf(open(await link()))).toBe(sentence)
  })

  test('of an unknown scenario is refused with a sentence', async () => {
    const link = await withSteps(aCommand({ type: 'scenario.load', scenario: '__proto__' }))
    expect(await refusalOf(open(link))).toBe(
      'Step 1 cannot be replayed on this site: This site has no such scenario.',
    )
  })

  test('of a command that the world cannot apply is refused with its sentence', async () => {
    const link = await withSteps(
      aRequest(),
      aCommand({ type: 'record.delete', collection: 'projects', id: 77 }),
    )
    expect(await refusalOf(open(link))).toBe(
      'Step 2 cannot be replayed on this site: There is no project 77.',
    )
  })

  test('of records that do not fit together is refused with a sentence', async () => {
    const token = {
      id: 1,
      agency: 9,
      name: 'Lost',
      token: 'lost',
      status: 'active',
      abilities: ['*'],
    }
    const tokens = [{ ...token, rate_limit: {} }]
    const link = await withSteps(aLoad({ records: { ...EMPTY, tokens } }))
    expect(await refusalOf(open(link))).toBe(
      `The records that this loads do not fit together: ${ANOTHER}`,
    )
  })

  test('may have 500 steps, and 1 MB', async () => {
    const steps = [...many(250, aCommand({ type: 'rate.clear' })), ...many(250, aRequest())]
    const link = await encodeLink(aShared({ steps }))
    const { requests } = await open(link ?? '')
    expect(requests.all()).toHaveLength(250)
    expect(await encodeLink(aShared({ steps: many(501, aRequest()) }))).toBeUndefined()
    const wide = JSON.stringify(aShared()).padEnd(2 ** 20, ' ')
    expect(await decodeLink(await linkOf(wide))).toEqual(aShared())
  })

  test.each<[string, SharedStep[]]>([
    [
      '500 keywords, one of them written twice',
      [aLoad({ records: { ...EMPTY, keywords: keywords(500) } }), putKeyword(500)],
    ],
    [
      '501 keywords of two projects',
      [
        aLoad({ records: { ...EMPTY, keywords: keywords(500) } }),
        putKeyword(501, { ...KEYWORD, project: 2 }),
      ],
    ],
    [
      'a minute of delay again and again',
      [armSlow(60_000), disarm(1), armSlow(60_000), disarm(2), armSlow(60_000)],
    ],
  ])('may have %s', async (_, steps) => {
    const shared = aShared({ steps: inOrder(steps) })
    expect(await decodeLink((await encodeLink(shared)) ?? '')).toEqual(shared)
  })

  test('may be of a site that is larger than what a partner may load', async () => {
    const tab = await openTab({ generate: { projects: 1200 } })
    await tab.sandbox.reset()
    await tab.sandbox.command({ type: 'record.delete', collection: 'projects', id: 1001 })
    const link = (await encodeLink(await tab.share())) ?? ''
    const opened = await open(link, { generate: { projects: 1200 } })
    expect(opened.world.records.all('projects')).toHaveLength(1199)
  })

  test('of a scenario that is larger than that is refused', async () => {
    const shared = aShared({ steps: [aCommand({ type: 'scenario.load', scenario: 'huge' })] })
    const huge = await createSandbox({ generate: { projects: 1001 } })
    const create = async () => {
      const sandbox = await createSandbox({})
      const { scenarios } = sandbox.world.options
      const list = async () => [{ name: 'huge', purpose: '' }]
      vi.spyOn(scenarios, 'list').mockImplementation(list)
      vi.spyOn(scenarios, 'load').mockResolvedValue(huge.world.seed)
      return sandbox
    }
    const refusal = await refusalOf(replayShared(shared, { create, clock: CLOCK }))
    vi.restoreAllMocks()
    expect(refusal).toBe(
      'Step 1 cannot be replayed on this site: The scenario has 1001 projects, and a link may have 1000.',
    )
  })

  test('is stopped after half a minute of work', async () => {
    const shared = aShared({ steps: many(11, aCommand({ type: 'rate.clear' })) })
    const sentence = 'Replaying this takes more than 30 s: ask for a smaller session.'
    expect(await refusalOf(replay(shared, {}, slowly(3_500)))).toBe(sentence)
    expect((await replay(shared, {}, slowly(2_500))).world.journal.sequence).toBe(11)
  })

  test('lets the tab go on while it is replayed', async () => {
    const clock = slowly(25)
    const turns: string[] = []
    const stopAt = (ms: number) => {
      turns.push('step')
      setTimeout(() => turns.push('other'))
      clock.stopAt(ms)
    }
    await replay(aShared({ steps: many(25, aRequest()) }), {}, { ...clock, stopAt })
    expect(turns.join(' ')).toMatch(/(?:step ){10}(?:other ){10}(?:step ){10}(?:other ){10}/)
  })

  test('is replayed only in a world that begins when the shared one did', async () => {
    const clock = { ...CLOCK, stopAt: () => undefined }
    await expect(replay(aShared(), {}, clock)).rejects.toThrow(/created by the stopped clock/)
  })

  test('with a request that the API refuses is opened, and it is refused again', async () => {
    const { requests } = await open(await withSteps(aRequest({ method: 'POST' })))
    expect(requests.all()).toMatchObject([{ status: 405 }])
  })
})

describe('a session file', () => {
  test.each([
    ['that is not JSON', 'no', 'This file is not JSON: choose a session file.'],
    ['that is another one', '{}', /^This is not a session\./],
    [
      'that is nested too deeply',
      '['.repeat(70),
      'This file is nested more than 64 levels deep: choose a session file.',
    ],
    [
      'of more than 16 MB',
      ' '.repeat(2 ** 24 + 1),
      'This file has more than 16 MB: replay it with seo-sandbox replay.',
    ],
  ])('%s is refused with a sentence', async (_, text, sentence) => {
    const { own } = await openTab()
    expect(await refusalOf(readSessionFile(text, { digest: DIGEST, own }))).toMatch(sentence)
  })

  test('may not do more than a link', async () => {
    const { own } = await openTab()
    const { request } = aRequest({ path: '/_sandbox/reset' })
    const step = { sequence: 1, at_ms: own.beginning.at_ms, request, answer: null }
    const text = JSON.stringify({ ...own, steps: [step] })
    expect(await refusalOf(readSessionFile(text, { digest: DIGEST, own }))).toBe(
      `Step 1 of this session file is a request to something other than the API: ${ANOTHER}`,
    )
  })
})
