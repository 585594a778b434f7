import { expect, test } from 'vitest'
import { findContradictions, toLock } from '../../src/compare/lock.ts'
import type { PolicyResult } from '../../src/compare/results.ts'
import { formatPolicyLock, parsePolicyLock } from '../../src/fixtures/policy-lock.ts'
import { createSandbox, FixtureError } from '../../src/index.ts'
import { loadPolicies, startServer } from '../../src/server.ts'
import { aFolder } from '../support/cli.ts'

/** `policies.lock.yaml`: the policies that a comparison has seen, for later comparisons and for sandboxes. */

const EVIDENCE = [
  { path: '/api/v1/projects?per_page=101', status: 400, at: '2026-12-03T08:00:00.000Z' },
]

const RESULTS: PolicyResult[] = [
  {
    gap: 'G-034',
    policy: 'per-page-above-maximum',
    result: 'seen',
    value: '400',
    evidence: EVIDENCE,
  },
  {
    gap: 'G-084',
    policy: 'html-escaping',
    result: 'one-of',
    options: ['escape', 'br'],
    evidence: EVIDENCE,
  },
  { gap: 'G-019', policy: 'rate-window', result: 'not-asked', because: 'a 429', evidence: [] },
]
const LOCK = toLock(RESULTS, { service: 'https://seo.example.com/', checked: EVIDENCE[0]!.at })
const TEXT = formatPolicyLock(LOCK)

test('a lock has what was seen, and reads back as it was written', () => {
  expect(parsePolicyLock({ name: 'lock', text: TEXT })).toEqual(LOCK)
  expect(LOCK.policies).toEqual({
    'per-page-above-maximum': {
      value: '400',
      gap: 'G-034',
      seen: '2026-12-03',
      evidence: EVIDENCE,
    },
    'html-escaping': {
      one_of: ['escape', 'br'],
      gap: 'G-084',
      seen: '2026-12-03',
      evidence: EVIDENCE,
    },
  })
})

test.for<[string, PolicyResult[], string[]]>([
  ['the same', RESULTS, []],
  ['nothing', [], []],
  ['another value', [{ ...RESULTS[0]!, value: 'clamp' }], ['per-page-above-maximum']],
  ['one of several in the lock', [{ ...RESULTS[1]!, value: 'br' }], []],
  ['none of several in the lock', [{ ...RESULTS[1]!, value: 'raw' }], ['html-escaping']],
])('a comparison that sees %s', ([, results, contradicted]) => {
  expect(findContradictions(LOCK, results).map(({ policy }) => policy)).toEqual(contradicted)
})

test.for<[string, string]>([
  ['a policy that does not exist', TEXT.replace('html-escaping:', 'html-escapes:')],
  ['an option that does not exist', TEXT.replace('"400"', '"418"')],
  ['another version', TEXT.replace('version: 1', 'version: 2')],
  ['text', 'policies'],
])('a file with %s is refused with its place', ([, text]) => {
  expect(() => parsePolicyLock({ name: 'my.lock.yaml', text })).toThrow(FixtureError)
})

test('a missing file is named, with what to do', async () => {
  await expect(loadPolicies('nowhere.yaml')).rejects.toThrow(
    'nowhere.yaml\n  There is no such file. Check the path.',
  )
})

test('a sandbox takes the values, and names the day while they are in force', async () => {
  await using folder = await aFolder({ 'policies.lock.yaml': TEXT })
  const fixtures = { version: 1 as const, policies: { 'per-page-above-maximum': '422' } }
  const policies = await loadPolicies(folder.path('policies.lock.yaml'))
  const sandbox = await createSandbox({ fixtures, policies })
  const gapOf = () => sandbox.gaps.find(({ id }) => id === 'G-034')
  expect(gapOf()).toMatchObject({ value: '400', seen: '2026-12-03' })
  await sandbox.command({ type: 'policy.set', policies: { 'G-034': 'clamp' } })
  expect(gapOf()).toMatchObject({ value: 'clamp', seen: null })
  const own = await createSandbox({ policies: { ...policies, 'per-page-above-maximum': '422' } })
  expect(own.gaps.find(({ id }) => id === 'G-034')).toMatchObject({ value: '422', seen: null })
})

test('a server shows the day at GET /_sandbox/policies, also of a world of its own', async () => {
  await using folder = await aFolder({ 'policies.lock.yaml': TEXT })
  const policies = await loadPolicies(folder.path('policies.lock.yaml'))
  const server = await startServer({ port: 0, policies })
  try {
    const created = await fetch(`${server.url}/_sandbox/worlds`, { method: 'POST', body: '{}' })
    const { id } = (await created.json()) as { id: string }
    for (const world of ['', `?world=${id}`]) {
      const response = await fetch(`${server.url}/_sandbox/policies${world}`)
      const gaps = (await response.json()) as { id: string; seen: string | null }[]
      expect(gaps.filter(({ seen }) => seen !== null).map((gap) => gap.id)).toEqual(['G-034'])
    }
  } finally {
    await server.close()
  }
})
