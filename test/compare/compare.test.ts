import { describe, expect, test } from 'vitest'
import { POLICIES } from '../../src/contract/gaps.ts'
import { anonymise } from '../../src/compare/anonymise.ts'
import type { Comparison } from '../../src/compare/comparison.ts'
import { findDifferences, describeType } from '../../src/compare/differences.ts'
import { formatReadFixture } from '../../src/compare/read-fixture.ts'
import type { Answers } from '../../src/compare/question.ts'
import type { Received } from '../../src/compare/ask.ts'
import type { PolicyName, SandboxOptions } from '../../src/index.ts'
import { createRandom } from '../../src/records/random.ts'
import type { Random } from '../../src/records/random.ts'
import { isFullDepth, runs } from '../support/depth.ts'
import { aFolder } from '../support/cli.ts'
import { randomOptions, TOKEN } from './random-service.ts'
import { aService, compareWith } from './service.ts'
import type { Service } from './service.ts'

/** `compare`: its findings about a service whose policies are known. */

const WORLDS = isFullDepth ? 200 : 10

/** Two hundred worlds take minutes. */
const WHOLE = { timeout: 1_800_000 }

/** Minimum share of the detectable policies that has to be seen, or narrowed down to several options. */
const LEAST_SHARE = 0.85

test(
  'of the policies of random worlds, none is named wrongly and most are seen',
  WHOLE,
  async () => {
    const wrong: string[] = []
    let [detectable, seen] = [0, 0]
    for (let seed = 1; seed <= WORLDS; seed += 1) {
      const service = await aService(randomOptions(seed), TOKEN)
      const { comparison, answers } = await compareWith(service)
      wrong.push(...wrongIn(comparison, service).map((one) => `${seed} ${one}`))
      for (const result of comparison?.policies ?? []) {
        if (!(await isDetectable(result.policy, service, answers))) continue
        detectable += 1
        if (result.result === 'seen' || result.result === 'one-of') seen += 1
      }
    }
    expect(wrong).toEqual([])
    expect(seen / detectable).toBeGreaterThanOrEqual(LEAST_SHARE)
  },
)

test.each([221, 233, 374])(
  'in world %i, where answers contradict an option or would be the same with other data, none is named wrongly',
  async (seed) => {
    const service = await aService(randomOptions(seed), TOKEN)
    const { comparison } = await compareWith(service)
    expect(wrongIn(comparison, service)).toEqual([])
  },
)

test('with an anonymised file, none is named wrongly: its names are others', WHOLE, async () => {
  const wrong: string[] = []
  for (let seed = 1; seed <= runs(100); seed += 1) {
    const service = await aService(randomOptions(seed), TOKEN)
    const { comparison } = await compareWith(service)
    const anonymous = await anonymise(comparison!.read!.fixture, Buffer.alloc(32, seed))
    await using folder = await aFolder({ 'agency.json': JSON.stringify(anonymous) })
    const again = await compareWith(service, { fixtures: folder.path('agency.json') })
    wrong.push(...wrongIn(again.comparison, service).map((one) => `${seed} ${one}`))
    expect(again.comparison?.policies.filter(({ result }) => result === 'seen')).not.toEqual([])
  }
  expect(wrong).toEqual([])
})

/** The results that name other options than the one in force, if they name any. */
function wrongIn(comparison: Comparison | undefined, { sandbox }: Service): string[] {
  return (comparison?.policies ?? []).flatMap((result) => {
    const truth = sandbox.world.policies[result.policy]
    const { value = truth, options = [value] } = result
    return options.includes(truth) ? [] : [`${result.policy}=${truth}: ${JSON.stringify(result)}`]
  })
}

/** True if another option than the default is in force, and the default would change an answer. */
async function isDetectable(
  policy: PolicyName,
  { sandbox, send }: Service,
  answers: Answers,
): Promise<boolean> {
  const preset = POLICIES.find((gap) => gap.policy === policy)?.default ?? ''
  const value = sandbox.world.policies[policy]
  if (value === preset) return false
  const set = (option: string) =>
    sandbox.command({ type: 'policy.set', policies: { [policy]: option } })
  await set(preset)
  let isOther = false
  for (const answer of answers.all) {
    await sandbox.command({ type: 'rate.clear' })
    await sandbox.clock.set(answer.at)
    const other = await send(answer.question)
    isOther ||= findDifferences(answer, other, describeType).length > 0
    if (isOther) break
  }
  await set(value)
  return isOther
}

test.for<[string, SandboxOptions]>([
  ['the demo', { demo: true }],
  ['the default world', {}],
  ['a generated world', { generate: { projects: 5, locale: ['da', 'de'] } }],
  ['a world without projects', { generate: { projects: 0 } }],
])('a sandbox compared with itself shows no differences: %s', async ([, options]) => {
  const service = await aService({ ...options, rateLimit: 'unlimited' }, 'sandbox-agency')
  const { comparison } = await compareWith(service, { contents: 'all' })
  expect(comparison?.unexplained).toEqual([])
  expect(comparison?.answers).toMatchObject({ explained: 0, unexplained: 0, changed: 0 })
})

describe('a change planted after reading is found with --fixtures', () => {
  const PLANTED = isFullDepth ? 100 : 30

  test('of a value, a type, a key, an order, a status and a header', WHOLE, async () => {
    const options = { generate: { projects: 3 }, seed: '5', rateLimit: 'unlimited' as const }
    const service = await aService(options, 'sandbox-agency')
    const { comparison, answers } = await compareWith(service)
    const { read, inForce: policies = {} } = comparison ?? {}
    if (!read) throw new Error('Nothing was read.')
    const text = formatReadFixture(read, { isRaw: true, service: 'x', policies })
    await using folder = await aFolder({ 'read.yaml': text })
    const missed: string[] = []
    const read200 = answers.all.filter(
      ({ question, status }) => question.role === 'read' && status === 200,
    )
    for (let seed = 1; seed <= PLANTED; seed += 1) {
      const random = createRandom('planted', seed)
      const { question } = random.pick(read200)
      const kind = KINDS[seed % KINDS.length]!
      const planted = plantIn(service, question.path, (received) =>
        change(received, kind, createRandom('change', seed)),
      )
      const again = await compareWith(planted, { fixtures: folder.path('read.yaml') })
      const isFound = again.comparison?.unexplained.some(({ path }) => path === question.path)
      if (isFound !== true) missed.push(`${seed} ${kind} ${question.path}`)
    }
    expect(missed).toEqual([])
  })
})

const KINDS = ['value', 'type', 'key', 'order', 'status', 'header'] as const

function plantIn(service: Service, path: string, alter: (received: Received) => Received): Service {
  return {
    ...service,
    send: async (question) => {
      const received = await service.send(question)
      return question.path === path && question.role === 'read' ? alter(received) : received
    },
  }
}

function change(received: Received, kind: (typeof KINDS)[number], random: Random): Received {
  const { headers } = received
  if (kind === 'status') return { ...received, status: random.pick([202, 206, 410]) }
  if (kind === 'header') {
    const other = random.pick([
      { 'content-type': 'text/json' },
      { allow: 'GET' },
      { location: '/x' },
    ])
    return { ...received, headers: { ...headers, ...other } }
  }
  const body: unknown = JSON.parse(received.body)
  const trees = treesIn(body).filter((tree) => Object.keys(tree).length > 1)
  const tree = random.pick(trees)
  const keys = Object.keys(tree).filter((key) => key !== 'cache_refreshed_at')
  const key = random.pick(keys)
  const value = tree[key]
  if (kind === 'value') tree[key] = otherValue(value)
  else if (kind === 'type') tree[key] = typeof value === 'string' ? 7 : 'seven'
  else if (kind === 'key') delete tree[key]
  else reverse(tree)
  return { ...received, body: JSON.stringify(body) }
}

type Tree = Record<string, unknown>

function treesIn(value: unknown): Tree[] {
  if (typeof value !== 'object' || value === null) return []
  return [value as Tree, ...Object.values(value).flatMap(treesIn)]
}

function otherValue(value: unknown): unknown {
  if (typeof value === 'string') return `${value} too`
  if (typeof value === 'number') return value + 1
  return value === null ? 'something' : null
}

/** Reverses the items of a list, or the keys of a map. */
function reverse(tree: Tree): void {
  if (Array.isArray(tree)) {
    tree.reverse()
    return
  }
  const entries = Object.entries(tree).toReversed()
  for (const [key] of entries) delete tree[key]
  Object.assign(tree, Object.fromEntries(entries))
}
