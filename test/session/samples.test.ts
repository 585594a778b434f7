import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { withSession } from '../../src/cli/session-file.ts'
import { createSandbox, replay } from '../../src/index.ts'
import type { Session, Snapshot } from '../../src/index.ts'
import { judgeSession } from '../../src/sandbox/review-session.ts'
import { replaySession } from '../../src/session/replay-session.ts'
import { decodeLink, encodeLink } from '../../src/share/link.ts'
import { readSessionFile, toShared } from '../../src/share/share-world.ts'

/** Sessions and snapshots of earlier releases mean the same to this one (docs/formats.md). */

const pathOf = (name: string) => fileURLToPath(new URL(`samples/${name}`, import.meta.url))
const read = (name: string): unknown => JSON.parse(readFileSync(pathOf(name), 'utf8'))
const session = read('session.json') as Session
const { length } = session.steps
const EQUAL = { steps: length, difference: null }

describe('a session', () => {
  test('is replayed by the library', async () => {
    expect(await replay(session)).toEqual(EQUAL)
  })

  test.each(['session.json', 'session.jsonl'])('is read from %s by commands', async (name) => {
    expect(await withSession(pathOf(name), (one) => replaySession(one))).toEqual(EQUAL)
    const demands = { projects: undefined, require: [], waive: [] }
    const { requests } = await withSession(pathOf(name), (one) => judgeSession(one, demands))
    expect(requests).toBe(session.steps.filter((step) => 'request' in step).length)
  })

  test('is opened by a tab, and shared by it as a link', async () => {
    const own = { ...session, steps: [] }
    const file = await readSessionFile(JSON.stringify(session), { digest: 'site', own })
    expect(file.steps).toHaveLength(length)
    const link = await encodeLink(
      toShared(session, { digest: 'site', screen: '', hasLoaded: false }),
    )
    expect(await decodeLink(link ?? '')).toEqual(file)
  })
})

test('a snapshot is restored', async () => {
  const snapshot = read('snapshot.json') as Snapshot
  const sandbox = await createSandbox()
  await sandbox.restore(snapshot)
  const { records, policies, faults, sequence } = await sandbox.snapshot()
  expect({ records, policies, faults }).toEqual({
    records: snapshot.records,
    policies: snapshot.policies,
    faults: snapshot.faults,
  })
  expect(sequence).toBe(snapshot.sequence)
})
