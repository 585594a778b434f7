import { existsSync, fstatSync, readdirSync, readlinkSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withSession } from '../../src/cli/session-file.ts'
import { createSandbox, OptionError } from '../../src/index.ts'
import type { Sandbox } from '../../src/index.ts'
import type { Review } from '../../src/review/review.ts'
import { replaySession } from '../../src/session/replay-session.ts'
import { aFolder } from '../support/cli.ts'
import { recordLines, reviewOfLines } from '../support/session-lines.ts'

/** The session that `exec --review` records of a run, and its file; test/processes/exec-review.test.ts runs a command. */

/** Records the requests and commands of `act` in a sandbox. */
async function record(
  sandbox: Sandbox,
  act: () => Promise<void>,
  options?: Parameters<typeof recordLines>[1],
): Promise<{ lines: string[]; review: Review }> {
  const end = recordLines(sandbox, options)
  await act()
  const review = sandbox.review()
  return { lines: await end(), review }
}

const headers = { authorization: 'Bearer sandbox-agency', accept: 'application/json' }
const ask = async (sandbox: Sandbox, path: string, init: RequestInit = {}) =>
  (await sandbox.fetch(`/api/v1${path}`, { headers, ...init })).arrayBuffer()

test('a session of any length is reviewed as the world was', async () => {
  const sandbox = await createSandbox({ rateLimit: 'unlimited' })
  const { lines, review } = await record(sandbox, async () => {
    for (let count = 0; count < 6000; count += 1) await ask(sandbox, '/me')
    await ask(sandbox, '/projects/101/reports/0/content')
  })
  expect(lines).toHaveLength(6002)
  expect(review).toMatchObject({ requests: 6001, verdict: 'failed' })
  expect(await reviewOfLines(lines)).toEqual(review)
  // Bodies are compared too, although the session in memory was given up after 5,000 steps.
  const last = JSON.parse(lines.at(-1) ?? '') as { answer: { body: { digest: number } } }
  expect(last.answer.body.digest).not.toBe(0)
})

test('bearer values are hidden, also those that come later', async () => {
  const sandbox = await createSandbox()
  const { lines } = await record(sandbox, async () => {
    await ask(sandbox, '/me', { headers: { authorization: 'Bearer a-later-value' } })
    await ask(sandbox, '/projects?search=a-later-value')
    const token = { id: 99, name: 'Later', token: 'a-later-value', agency: 1 }
    await sandbox.command({ type: 'record.put', collection: 'tokens', record: token })
  })
  expect(lines).toHaveLength(4)
  expect(lines.join('')).not.toMatch(/a-later-value|sandbox-agency/)
  expect(lines.join('')).toContain('"authorization":"Bearer token-99"')
})

test.each([
  ['that is still in memory', 1],
  ['that is in the file', 200],
])('a reset begins a new session after one %s', async (_, count) => {
  const sandbox = await createSandbox({ rateLimit: 'unlimited' })
  const { lines, review } = await record(sandbox, async () => {
    for (let sent = 0; sent < count; sent += 1)
      await ask(sandbox, '/projects/101/reports/0/content')
    await sandbox.reset()
    await ask(sandbox, '/me')
  })
  expect(lines).toHaveLength(3)
  expect(await reviewOfLines(lines)).toEqual(review)
})

test('the documented tokens of a generated world are used again', async () => {
  const sandbox = await createSandbox({ generate: { projects: 2 } })
  const { lines, review } = await record(sandbox, () => ask(sandbox, '/me').then(() => undefined))
  expect(review.verdict).toBe('passed')
  expect(await reviewOfLines(lines)).toEqual(review)
})

test('what is beyond its bound is left out, and every reader is told', async () => {
  const sandbox = await createSandbox()
  const cuts: string[] = []
  const { lines, review } = await record(
    sandbox,
    async () => {
      for (let count = 0; count < 9; count += 1) await ask(sandbox, '/me')
    },
    { largestBytes: 2000, onCut: (reason) => cuts.push(reason) },
  )
  expect(cuts).toEqual(['It has grown to 0.002 MB.'])
  const kept = lines.length - 1
  expect(kept).toBeGreaterThan(1)
  expect(lines.slice(1).join('').length).toBeLessThanOrEqual(2000)
  expect(review.requests).toBe(9)
  expect(await reviewOfLines(lines)).toMatchObject({
    requests: kept,
    notice: `Only requests up to #${kept} are reviewed, because the session grew too large after that.`,
  })
})

const OPEN = '/proc/self/fd'

/** Descriptors of this process whose files have such a name. */
function openFiles(name: RegExp): number[] {
  return readdirSync(OPEN).flatMap((entry) => {
    try {
      return name.test(readlinkSync(join(OPEN, entry))) ? [Number(entry)] : []
    } catch {
      // The descriptor with which the folder itself was read is closed by now.
      return []
    }
  })
}

test.runIf(existsSync(OPEN))(
  'nobody else can open its file, which is gone with its process',
  async () => {
    const sandbox = await createSandbox()
    const end = recordLines(sandbox)
    const files = openFiles(/\/seo-sandbox-\w+\/session\.jsonl \(deleted\)$/)
    expect(files.map((file) => (fstatSync(file).mode & 0o777).toString(8))).toEqual(['600'])
    await end()
    expect(openFiles(/session\.jsonl/)).toEqual([])
  },
)

test.each<[string, (lines: string[]) => string[], string]>([
  [
    'that lacks its end',
    (lines) => lines.slice(0, -1),
    'a.jsonl: This is not a complete session: it has 1 lines of 2 after the first one.',
  ],
  [
    'that breaks off',
    (lines) => [...lines.slice(0, -1), lines.at(-1)!.slice(0, 50)],
    'a.jsonl: This is not a complete session: it is not valid JSON.',
  ],
  ['with another step', (lines) => [...lines.slice(0, -1), '{"sequence":2}'], 'a.jsonl:3: '],
  [
    'of another release',
    ([head = '', ...lines]) => [head.replace('"version":1', '"version":7'), ...lines],
    'a.jsonl: This session is of version 7',
  ],
  [
    'with another field',
    ([head = '', ...lines]) => [head.replace('"version":1', '"version":1,"other":1'), ...lines],
    'a.jsonl: other: ',
  ],
])('a file %s is refused', async (_, change, message) => {
  const sandbox = await createSandbox()
  const { lines } = await record(sandbox, async () => {
    await ask(sandbox, '/me')
    await ask(sandbox, '/projects')
  })
  await using folder = await aFolder({})
  const file = folder.path('a.jsonl')
  const read = async (all: string[]) => {
    await writeFile(file, all.join(''))
    return await withSession(file, (session) => replaySession(session))
  }
  expect(await read(lines)).toEqual({ steps: 2, difference: null })
  const error = await read(change(lines)).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(OptionError)
  expect((error as Error).message).toContain(message)
})
