import { describe, expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { Sandbox } from '../../src/index.ts'
import { plan, rehearse } from '../../src/rehearse.ts'
import type { RehearseOptions } from '../../src/rehearse.ts'
import { PROFILES, planRehearsal } from '../../src/rehearsal/rehearsal-plan.ts'
import type { PlanOptions, RehearsalPlan } from '../../src/rehearsal/rehearsal-plan.ts'
import { DISTURBANCE_KINDS } from '../../src/rehearsal/disturbances.ts'
import { runs } from '../support/depth.ts'

/** `PROPERTY_DEPTH=1` uses all of these. */
const SEEDS = ['1', '2', '3', '4', '5'].slice(0, runs(5, 2))
const START = '2026-01-01T06:00:00Z'

function aWorld(world: Parameters<typeof createSandbox>[0] = { demo: true }) {
  return createSandbox({ ...world, now: START })
}

/** Plans a rehearsal in a world, as a rehearsal itself does. */
function planIn({ world: { records } }: Sandbox, own: Partial<PlanOptions> = {}): RehearsalPlan {
  return planRehearsal({
    seed: '1',
    profile: 'year',
    startMs: Date.parse(START),
    every: { months: 0, ms: 86_400_000 },
    for: { months: 12, ms: 0 },
    texts: { every: 'P1D', for: 'P12M' },
    records,
    token: records.all('tokens')[0]!,
    ...own,
  })
}

/** The world of the plans that are only read, and its plans by their options. */
const demo = await aWorld()
const plans = new Map<string, RehearsalPlan>()

function planOf(own: Partial<PlanOptions> = {}): RehearsalPlan {
  const key = JSON.stringify({ seed: '1', profile: 'year', ...own })
  const made = plans.get(key) ?? planIn(demo, own)
  plans.set(key, made)
  return made
}

describe('the plan of a rehearsal', () => {
  test('is the same for the same seed, and another for each seed', async () => {
    const shown = SEEDS.map((seed) => JSON.stringify(planOf({ seed }).shown))
    expect(new Set(shown).size).toBe(SEEDS.length)
    const other = await aWorld()
    expect(SEEDS.map((seed) => JSON.stringify(planIn(other, { seed }).shown))).toEqual(shown)
  })

  test.for(PROFILES.flatMap((profile) => SEEDS.map((seed) => ({ profile, seed }))))(
    '%j begins calm, ends with seven calm runs, and has the disturbances of its profile',
    ({ profile, seed }) => {
      const { steps, shown } = planOf({ profile, seed })
      expect(steps).toHaveLength(profile === 'smoke' ? 40 : 365)
      expect(shown.runs.map(({ number }) => number)).toEqual(steps.map((_, index) => index + 1))
      expect([steps[0]!, ...steps.slice(-7)].map(({ isCalm }) => isCalm)).toEqual(
        Array.from({ length: 8 }, () => true),
      )
      const disturbedShare = steps.filter(({ isCalm }) => !isCalm).length / steps.length
      if (profile === 'year') expect(disturbedShare).toBeCloseTo(0.3, 1)
      const times = steps.map(({ atMs }) => atMs)
      expect(times.toSorted((one, other) => one - other)).toEqual(times)
    },
  )

  test.for(SEEDS)(
    'with the seed %s, nothing makes a client wait for long where its pauses take real time',
    (seed) => {
      const [usual, real] = [
        planOf({ seed, canBeKilled: true }),
        planOf({ seed, isRealTime: true }),
      ]
      const faults = real.steps.flatMap((step) => step.faults)
      const waits = faults.map((fault) => ('retry_after' in fault ? fault.retry_after : undefined))
      // A date in a Retry-After would be NaN.
      expect(Math.max(...waits.map((wait) => Number(wait ?? 0)))).toBe(2)
      // Everything else is the same.
      const timesOf = ({ steps }: typeof real) =>
        steps.map(({ atMs, isOutage, commands }) => [atMs, isOutage, commands])
      expect(timesOf(real)).toEqual(timesOf(usual))
    },
  )

  test.for(SEEDS)('with the seed %s, smoke has each kind of disturbance', (seed) => {
    const { steps, shown } = planOf({ profile: 'smoke', seed, canBeKilled: true })
    expect(shown.lacks).toEqual([])
    const ids = steps.flatMap(({ kind }) => kind?.id ?? [])
    const planned = DISTURBANCE_KINDS.flatMap(({ id, times, runs: length }) =>
      Array.from({ length: times * length }, () => id),
    )
    expect(ids.toSorted()).toEqual([...planned, 'refused', 'tight'].toSorted())
    expect(steps.filter(({ isRunning }) => isRunning)).not.toEqual([])
  })

  test.for(['2026-01-01', '2026-01-31', '2026-02-28', '2026-06-30', '2028-02-29'])(
    'from %s on, a month ends in smoke',
    (day) => {
      const startMs = Date.parse(`${day}T06:00:00Z`)
      const { steps } = planOf({ profile: 'smoke', startMs })
      expect(steps.some(({ isRunning }) => isRunning)).toBe(true)
    },
  )

  test('says which kinds a client cannot meet: without a state it is not killed', () => {
    const { shown } = planOf({ profile: 'smoke' })
    expect(shown.lacks).toEqual([
      {
        event: 'a client that is killed in the middle of a run',
        reason: 'It needs the option `state`, to restart the client from its saved state.',
      },
    ])
  })

  test.for(SEEDS)('with the seed %s, a year has each disturbance and each event', (seed) => {
    const { steps, shown } = planOf({ seed, canBeKilled: true })
    const ids = new Set(steps.flatMap(({ kind }) => kind?.id ?? []))
    expect([...ids].toSorted()).toEqual(
      [...DISTURBANCE_KINDS.map(({ id }) => id), 'refused', 'tight'].toSorted(),
    )
    const events = shown.runs.flatMap((run) => run.events).join('\n')
    for (const phrase of [
      /^it begins ten seconds before a month ends$/m,
      /^project \d+ is added$/m,
      /^project \d+ is paused$/m,
      /^project \d+ is gone$/m,
      /^there are 10\d projects, more than a page$/m,
      /^its token is disabled for a run$/m,
      /^its token has 30 requests an hour for a run$/m,
      /^report \d+ of project \d+ is completed after a newer one$/m,
      /^report \d+ of project \d+ fails$/m,
      /^report \d+ of project \d+ is started again after it failed$/m,
      /^report \d+ of project \d+ is regenerated, with a new id$/m,
      /^report 26 of project \d+ is completed, the last that a project has$/m,
    ]) {
      expect(events).toMatch(phrase)
    }
    expect(shown.lacks).toEqual([])
  })

  test('has one run in each quarter that begins ten seconds before its month ends', () => {
    const { steps, shown } = planOf()
    const turns = shown.runs.filter((_, index) => steps[index]!.isRunning)
    expect(turns.map(({ at }) => at.slice(8))).toEqual(
      turns.map(({ at }) => `${at.slice(8, 10)}T23:59:50.000000Z`),
    )
    const quarters = turns.map(({ at }) => Math.floor((Number(at.slice(5, 7)) - 1) / 3))
    expect(quarters).toEqual([0, 1, 2, 3])
    const dayAfter = ({ at }: { at: string }) => new Date(Date.parse(at) + 10_000).getUTCDate()
    expect(turns.map(dayAfter)).toEqual([1, 1, 1, 1])
  })

  test.for(SEEDS)('with the seed %s has commands and faults that its world takes', async (seed) => {
    const sandbox = await aWorld()
    const { steps } = planOf({ seed })
    for (const { commands, faults } of steps) {
      for (const command of commands) await sandbox.command(command)
      await sandbox.faults.set(faults)
    }
    // Temporary events have left no trace.
    const [token] = sandbox.world.records.all('tokens')
    expect(token).toMatchObject({ status: 'active', rate_limit: {} })
    const statuses = new Set(sandbox.world.records.all('projects').map(({ status }) => status))
    expect(sandbox.world.records.all('projects')).toHaveLength(40)
    expect([...statuses].toSorted()).toEqual(['active', 'paused'])
  })

  test('has runs a month apart where it is asked for that, and says what it then lacks', () => {
    const { steps, shown } = planOf({ every: { months: 1, ms: 0 } })
    expect(steps).toHaveLength(12)
    expect([steps[0]!, ...steps.slice(-7)].every(({ isCalm }) => isCalm)).toBe(true)
    expect(shown.lacks.map(({ event }) => event)).toContain(
      'a run begins ten seconds before a month ends',
    )
  })
})

describe('a world of your own', () => {
  const TOKENS = [{ id: 1, name: 'Token', token: 'token', agency: null }]

  test('has only what it allows, and the plan says what would need another', async () => {
    const fixtures = { version: 1 as const, tokens: TOKENS }
    const { shown } = planIn(await aWorld({ fixtures }), { canBeKilled: true })
    expect(shown.lacks).toEqual([
      { event: 'a project is added', reason: 'No active project of its agency could be copied.' },
      { event: 'a project is paused', reason: 'It has fewer than three active projects.' },
      { event: 'a project is gone', reason: 'It has fewer than three active projects.' },
      {
        event: 'there are more than 100 projects for a month',
        reason: 'No active project of its agency could be copied.',
      },
      {
        event: 'reports are completed',
        reason: 'It has no report that could be completed.',
      },
      {
        event: 'a page of projects that fails',
        reason: 'No otherwise undisturbed run has a second page of projects.',
      },
      { event: 'an outage of contents', reason: 'No otherwise undisturbed run has a new report.' },
    ])
  })

  test('whose reports do not move with time has them completed by commands', async () => {
    const { shown } = planIn(await aWorld({}))
    const events = shown.runs.flatMap((run) => run.events)
    expect(events.filter((event) => event.endsWith(' is completed')).length).toBeGreaterThan(2)
  })
})

describe('plan() alone', () => {
  test('is the plan of a rehearsal with the same options', async () => {
    const options: RehearseOptions = { start: '2026-01-01', profile: 'smoke', seed: 3 }
    const shown = await plan(options)
    expect(shown).toMatchObject({
      seed: '3',
      profile: 'smoke',
      start: '2026-01-01T06:00:00.000000Z',
    })
    expect(shown.runs).toHaveLength(40)
    expect(await plan(options)).toEqual(shown)
    expect((await rehearse(() => {}, options)).plan).toEqual(shown)
  })

  test.for<[options: object, sentence: RegExp]>([
    [{ evry: 'P1D' }, /^rehearse: "evry" is not an option\. Did you mean "every"\?/],
    [{ every: 'daily' }, /^every: "daily" is not an ISO 8601 duration\. Use one like P1D/],
    [{ every: 'PT5M' }, /^every: "PT5M" is less than an hour\./],
    [{ every: 5 }, /^every: 5 is not an ISO 8601 duration\./],
    [{ every: 'PT1H', for: 'P10Y' }, /^for: That would be more than 10000 runs\./],
    [{ start: 'tomorrow' }, /^start: "tomorrow" is not a time\. Use one like 2026-01-01/],
    [{ start: '2026-02-30' }, /^start: "2026-02-30" is not a time\./],
    [{ profile: 'calm' }, /^profile: "calm" is not a profile\. Use smoke, year\./],
    [
      { require: ['delivred'] },
      /^require: "delivred" is not a requirement\. Did you mean "delivered"\?/,
    ],
    [{ from: 0 }, /^from: 0 is not the number of a run\. The first is 1\./],
    [{ from: 9, until: 3 }, /^until: It is before run 9, the first one\./],
    [{ from: 9, expect: 'all' }, /^expect: A rehearsal from run 9 expects only reports/],
    [{ from: { run: 2, state: 1 } }, /^from: It has a state, but there is no option state/],
    [{ waive: [{ what: 'x' }] }, /^waive: "x" is not a requirement\./],
    [{ sandbox: {} }, /^sandbox: a map is not a sandbox\./],
  ])('refuses %j', async ([options, sentence]) => {
    await expect(plan(options as RehearseOptions)).rejects.toThrow(sentence)
    await expect(plan(options as RehearseOptions)).rejects.toMatchObject({ code: 'invalid_option' })
  })
})
