import { describe, expect, test } from 'vitest'
import { judge, judgeRun } from '../../src/review/judge.ts'
import type { Demands, RunContext } from '../../src/review/judge.ts'
import type { CheckResult, LedgerEntry, Review } from '../../src/review/review.ts'
import { aCheck, aContext, aFinding, anEntry, aReview } from './some-reviews.ts'

type Checks = Partial<Record<CheckResult['id'], Partial<CheckResult>>>

interface Given extends Partial<Demands> {
  checks?: Checks
  ledger?: Partial<LedgerEntry>[]
  review?: Partial<Review>
  exit?: number
}

const FAILED = { result: 'failed' } as const

function judged({ checks = {}, ledger = [], review, exit = 0, require = [], waive = [] }: Given) {
  const list = Object.entries(checks).map(([id, given]) => {
    return aCheck({ id: id as CheckResult['id'], ...given })
  })
  const hasFailed = list.some(({ result, severity }) => result === 'failed' && severity === 'error')
  const whole = aReview({
    verdict: hasFailed ? 'failed' : 'passed',
    checks: list,
    ledger: ledger.map(anEntry),
    ...review,
  })
  return judge(whole, { require, waive, context: aContext({ exit }) })
}

const waiver = (what: string, until = '2026-03-31') => ({ what, until, reason: 'Known.' })

/** The run ended on 2026-03-31, and its world clock began at 2026-03-01T00:00:00Z. */
describe('what is required', () => {
  const NEW = { finished_at: '2026-03-04T12:00:00.000000Z' }
  const OLD = { finished_at: '2026-02-28T23:59:59.999999Z' }
  const MISSING = { state: 'missing' } as const

  test.for<[title: string, given: Given, met: boolean, message: string]>([
    ['a check that passed', { require: ['backoff'], checks: { backoff: {} } }, true, 'It passed.'],
    [
      'a check that failed',
      { require: ['backoff'], checks: { backoff: FAILED } },
      false,
      'It failed.',
    ],
    [
      'a check that was not exercised',
      { require: ['backoff'], checks: { backoff: { result: 'not-exercised' } } },
      false,
      'The client never met this situation.',
    ],
    [
      'a check that resets left unsettled',
      { require: ['next-link'], checks: { 'next-link': { result: 'unsettled' } } },
      false,
      'The session ended before the client could make up for the findings.',
    ],
    ['no warning', { require: ['warnings'], checks: { backoff: {} } }, true, 'There are none.'],
    [
      'a warning',
      { require: ['warnings'], checks: { backoff: { ...FAILED, severity: 'warning' } } },
      false,
      'There are warnings of backoff.',
    ],
    [
      'a notice, which is no warning',
      { require: ['warnings'], checks: { 'json-accept': { ...FAILED, severity: 'notice' } } },
      true,
      'There are none.',
    ],
    ['no report', { require: ['delivered'] }, false, '0 of 0 finished reports were delivered.'],
    [
      'a report, once and twice',
      { require: ['delivered'], ledger: [{}, { state: 'twice' }] },
      true,
      '2 of 2 finished reports were delivered.',
    ],
    ...(['missing', 'late', 'stale', 'unfinished'] as const).map(
      (state): [string, Given, boolean, string] => [
        `a report that is ${state}`,
        { require: ['delivered'], ledger: [{}, { report_number: 5, state }] },
        false,
        `1 of 2 finished reports were delivered, but not report 5 of project 101 (${state}).`,
      ],
    ),
    [
      'more than a few reports',
      {
        require: ['delivered'],
        ledger: [1, 2, 3, 4].map((number) => ({ report_number: number, ...MISSING })),
      },
      false,
      '0 of 4 finished reports were delivered, but not report 1 of project 101 (missing), report 2 of project 101 (missing), report 3 of project 101 (missing), 1 more.',
    ],
    [
      'a report that a reset left unsettled, and that another session delivered',
      { require: ['delivered'], ledger: [{ state: 'unsettled' }, { session: 2 }] },
      true,
      '1 of 1 finished reports were delivered.',
    ],
    [
      'a report that each reset left unsettled',
      {
        require: ['delivered'],
        ledger: [{}, { report_id: 15, report_number: 5, state: 'unsettled' }],
      },
      false,
      '1 of 2 finished reports were delivered, but not report 5 of project 101 (unsettled).',
    ],
    [
      'a project that was delivered, beside one that was not',
      { require: ['delivered:101'], ledger: [{}, { project: 102, ...MISSING }] },
      true,
      '1 of 1 finished reports of project 101 were delivered.',
    ],
    [
      'a project without a finished report',
      { require: ['delivered:102'], ledger: [{}] },
      false,
      '0 of 0 finished reports of project 102 were delivered.',
    ],
    [
      'new reports, where an old one is missing',
      { require: ['delivered:new'], ledger: [NEW, { ...OLD, ...MISSING }] },
      true,
      '1 of 1 reports finished in the run were delivered.',
    ],
    [
      'new reports, where all were completed from the start',
      { require: ['delivered:new'], ledger: [{ finished_at: null }] },
      false,
      '0 of 0 reports finished in the run were delivered.',
    ],
    [
      'new reports, of which one is missing',
      { require: ['delivered:new'], ledger: [NEW, { ...NEW, ...MISSING, report_number: 9 }] },
      false,
      '1 of 2 reports finished in the run were delivered, but not report 9 of project 101 (missing).',
    ],
  ])('%s', ([, given, met, message]) => {
    const { required, verdict } = judged(given)
    expect(required).toMatchObject([{ what: given.require?.[0], met, message }])
    expect(verdict).toBe(met ? 'passed' : 'failed')
  })

  test('says how to exercise it: a check as the check does', () => {
    const { required } = judged({ require: ['backoff', 'delivered:7'], checks: { backoff: {} } })
    expect(required.map(({ exercise }) => exercise)).toEqual([
      'Add a fault, such as one of `status` 429.',
      'Let the client read the content of each finished report of project 7, once the client has seen it completed.',
    ])
  })

  test('counts once where it is required twice', () => {
    expect(judged({ require: ['warnings', 'warnings'] }).required).toHaveLength(1)
  })

  test('asks for the ledger of a project that it names, beside those that were read', () => {
    const asked: (readonly number[] | undefined)[] = []
    const { version, ...run } = aContext()
    const demands = { require: ['delivered:109', 'delivered'], waive: [] }
    const { required } = judgeRun(
      { ...run, ...demands },
      {
        version,
        explainUnmet: () => 'It was calm.',
        review: (projects) => {
          asked.push(projects)
          const rows = [anEntry(), anEntry({ project: 109, state: 'missing' })]
          return aReview({ ledger: rows.slice(0, projects?.length ?? 1) })
        },
      },
    )
    expect(asked).toEqual([undefined, [101, 109]])
    expect(required.map(({ met }) => met)).toEqual([false, false])
  })
})

test.for<[title: string, storm: RunContext['storm'], exercises: string[]]>([
  ['not in a storm', undefined, ['Add it.', 'Add it.']],
  ['in a storm', [{ run: 'all is calm', exit: 0 }], ['Add it.', 'No query of backoff. Add it.']],
])('%s a review says why a check was not exercised', ([, storm, exercises]) => {
  const { version, ...run } = aContext(storm && { storm })
  const { checks } = judgeRun(
    { ...run, require: [], waive: [] },
    {
      version,
      explainUnmet: (id) => `No query of ${id}.`,
      review: () =>
        aReview({
          checks: [
            aCheck({ id: 'probing', exercise: 'Add it.' }),
            aCheck({ id: 'backoff', exercise: 'Add it.', result: 'not-exercised' }),
          ],
        }),
    },
  )
  expect(checks.map(({ exercise }) => exercise)).toEqual(exercises)
})

describe('a waiver', () => {
  test.for<[title: string, given: Given, state: string, verdict: string]>([
    [
      'lets a check fail',
      { waive: [waiver('backoff')], checks: { backoff: FAILED } },
      'used',
      'passed',
    ],
    [
      'lets a check fail on its last day alone',
      { waive: [waiver('backoff', '2026-03-30')], checks: { backoff: FAILED } },
      'expired',
      'failed',
    ],
    [
      'fails the run once it has expired, also for what passed',
      { waive: [waiver('backoff', '2026-03-30')], checks: { backoff: {} } },
      'expired',
      'failed',
    ],
    [
      'is unused where the check passed',
      { waive: [waiver('backoff')], checks: { backoff: {} } },
      'unused',
      'passed',
    ],
    [
      'of another check lets nothing pass',
      { waive: [waiver('probing')], checks: { backoff: FAILED, probing: {} } },
      'unused',
      'failed',
    ],
    [
      'lets a required check be missing',
      {
        waive: [waiver('backoff')],
        require: ['backoff'],
        checks: { backoff: { result: 'not-exercised' } },
      },
      'used',
      'passed',
    ],
    [
      'of a check that was not exercised is unused where nothing requires it',
      { waive: [waiver('backoff')], checks: { backoff: { result: 'not-exercised' } } },
      'unused',
      'passed',
    ],
    [
      'of a check counts for warnings',
      {
        waive: [waiver('backoff')],
        require: ['warnings'],
        checks: { backoff: { ...FAILED, severity: 'warning' } },
      },
      'used',
      'passed',
    ],
    [
      'lets a requirement be unmet',
      { waive: [waiver('delivered')], require: ['delivered'] },
      'used',
      'passed',
    ],
    [
      'of what nothing requires is unused',
      { waive: [waiver('delivered')], ledger: [{ state: 'missing' }] },
      'unused',
      'passed',
    ],
    [
      'of a project counts for all projects',
      {
        waive: [waiver('delivered:102')],
        require: ['delivered'],
        ledger: [{}, { project: 102, state: 'missing' }],
      },
      'used',
      'passed',
    ],
    [
      'of a project leaves the others required',
      {
        waive: [waiver('delivered:102')],
        require: ['delivered'],
        ledger: [{}, { state: 'missing' }],
      },
      'unused',
      'failed',
    ],
    [
      'of the only project does not stand for a delivery',
      {
        waive: [waiver('delivered:102')],
        require: ['delivered'],
        ledger: [{ project: 102, state: 'missing' }],
      },
      'used',
      'failed',
    ],
  ])('%s', ([, given, state, verdict]) => {
    const outcome = judged(given)
    expect(outcome.waived).toMatchObject([{ ...given.waive?.[0], state }])
    expect(outcome.verdict).toBe(verdict)
  })

  test('of a project is unused where no delivery is required', () => {
    const ledger = [{ project: 102, state: 'missing' }] as const
    const { waived } = judged({ waive: [waiver('delivered:102')], ledger: [...ledger] })
    expect(waived.map(({ state }) => state)).toEqual(['unused'])
  })

  test('lets what is required of its project pass, and does not call it met', () => {
    const { required, verdict } = judged({
      waive: [waiver('delivered:102')],
      require: ['delivered:102'],
      ledger: [
        { project: 102, state: 'missing' },
        { project: 102, report_number: 5 },
      ],
    })
    expect([required[0]?.met, verdict]).toEqual([false, 'passed'])
  })

  test('marks the check that it lets fail', () => {
    const { checks } = judged({
      waive: [waiver('backoff')],
      checks: { backoff: FAILED, probing: FAILED },
    })
    expect(checks.map(({ id, waived }) => [id, waived])).toEqual([
      ['backoff', true],
      ['probing', undefined],
    ])
  })
})

test.for<[title: string, review: Partial<Review>, given: Given, verdict: string]>([
  [
    'nothing was read',
    { verdict: 'failed', answered: false },
    { waive: [waiver('backoff')] },
    'nothing-read',
  ],
  ['nothing was asked', { verdict: 'nothing-asked', requests: 0 }, {}, 'nothing-asked'],
  ['nothing was asked, though it had to be', { requests: 0 }, { require: ['delivered'] }, 'failed'],
])('where %s, a waiver makes no run pass', ([, review, given, verdict]) => {
  const checks: Checks = given.waive ? { backoff: FAILED } : {}
  expect(judged({ ...given, checks, review }).verdict).toBe(verdict)
})

test.for<[exit: number, end: string]>([
  [
    0,
    'never got it afterwards, and the command ended with 0. There were 30 of these in all; the first 20 are listed.',
  ],
  [1, 'never got it afterwards. There were 30 of these in all; the first 20 are listed.'],
])('what a command with the exit code %i is missing', ([exit, end]) => {
  const finding = aFinding({
    message:
      'The client never got it afterwards. There were 30 of these in all; the first 20 are listed.',
  })
  const { checks } = judged({
    exit,
    checks: {
      'missing-after-error': { ...FAILED, findings: [finding] },
      backoff: { ...FAILED, findings: [finding] },
    },
  })
  const [missing, other] = checks.map(({ findings }) => findings[0]?.message)
  expect(missing).toBe(`The client ${end}`)
  expect(other).toBe(finding.message)
})
