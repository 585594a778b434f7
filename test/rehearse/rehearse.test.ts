import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import { toHavePassed } from '../../src/matchers.ts'
import { formatReport, rehearse } from '../../src/rehearse.ts'
import type {
  RehearsalReport,
  RehearsedClient,
  RehearseOptions,
  ClientContext,
} from '../../src/rehearse.ts'
import { fromRoot } from '../support/cli.ts'
import { createRightClient } from '../clients/right-client.ts'

/** The report of a rehearsal, and the state of the process after it. */

expect.extend({ toHavePassed })

const START = '2026-01-01'
const SMOKE: RehearseOptions = { start: START, profile: 'smoke' }

function rehearseRight(options: RehearseOptions = SMOKE) {
  const client = createRightClient()
  return rehearse((context) => client.run(context), options)
}

/** A report for all tests that only read it. */
const made = new Map<() => Promise<RehearsalReport>, Promise<RehearsalReport>>()
function once(make: () => Promise<RehearsalReport>): Promise<RehearsalReport> {
  const report = made.get(make) ?? make()
  made.set(make, report)
  return report
}
const rehearseSilent = () => rehearse(createSilent().run, SMOKE)

/** The kind and the end of each run. */
function endings({ runs }: RehearsalReport) {
  return runs.map(({ kind, ended }) => `${kind} ${ended}`)
}

/** Serializes a report without the fields that depend on its date. */
function withoutDate({ context, kept, ...report }: RehearsalReport) {
  return JSON.stringify({ ...report, kept, context: { ...context, date: null } })
}

test('a right client passes, and the report says what it has been through', async () => {
  const report = await once(rehearseRight)
  expect(report).toHavePassed()
  expect(report.verdict).toBe('passed')
  expect(report.required).toMatchObject([{ what: 'delivered', met: true }])
  expect(report.checks.filter(({ result }) => result === 'failed')).toEqual([])
  expect(report.checks.slice(-4).map(({ id, result }) => [id, result])).toEqual([
    ['undelivered', 'passed'],
    ['silent-failure', 'passed'],
    ['recovery', 'passed'],
    ['endless-run', 'passed'],
  ])
  expect(report.runs).toHaveLength(40)
  expect(report.plan.runs.map(({ number }) => number)).toEqual(
    report.runs.map(({ number }) => number),
  )
  expect(new Set(endings(report))).toEqual(new Set(['calm done', 'fault done', 'outage failed']))
  expect(report.requests).toBe(report.runs.reduce((sum, { requests }) => sum + requests, 0))
  expect(report.ledger.length).toBeGreaterThan(400)
  expect(report.context).toMatchObject({ exit: null, world: { seed: '1' } })
  expect(formatReport(report)).toMatch(
    /^rehearsal 40 runs, 40 days, [\d,]+ requests: passed; (\d+) of \1 delivered, (?:none|at most \d+ days?) late\.\n/,
  )
})

test('the same seed and start give the same report but for its date, and another seed another', async () => {
  const [one, again, other] = [
    await once(rehearseRight),
    await rehearseRight(),
    await rehearseRight({ ...SMOKE, seed: '2' }),
  ]
  expect(withoutDate(again)).toBe(withoutDate(one))
  expect(withoutDate(other)).not.toBe(withoutDate(one))
})

/** `test/processes/rehearse.test.ts` compares with the same file, in a process of its own. */
test('a report is the same on every version of Node, in Vitest and without', async () => {
  const { createSync } = (await import(fromRoot('docs/examples/rehearse/right-sync.js'))) as {
    createSync: () => { run: RehearsedClient }
  }
  const report = withoutDate(await rehearse(createSync().run, SMOKE))
  const digest = createHash('sha256').update(report).digest('hex')
  await expect(`${digest}\n`).toMatchFileSnapshot('expected/report.sha256')
})

describe('a sandbox of your own', () => {
  test('is reset before and after, and its own options stay', async () => {
    const sandbox = await createSandbox({ demo: true, now: '2026-05-04T09:00:00Z' })
    await sandbox.command({ type: 'record.delete', collection: 'projects', id: 1001 })
    await sandbox.faults.add({ kind: 'status', status: 500 })
    const report = await rehearseRight({ sandbox, profile: 'smoke' })
    // The rehearsal begins at the time of the world.
    expect(report.plan.start).toBe('2026-05-04T09:00:00.000000Z')
    expect(report).toHavePassed()
    expect(report.ledger.some(({ project }) => project === 1001)).toBe(true)
    expect(sandbox.faults.list()).toEqual([])
    expect(sandbox.world.records.all('projects')).toHaveLength(40)
    expect(sandbox.review().requests).toBe(0)
  })

  test('without a token that can be used cannot be rehearsed', async () => {
    const sandbox = await createSandbox({ fixtures: { version: 1 } })
    await expect(rehearseRight({ sandbox })).rejects.toMatchObject({
      code: 'no_token',
      message: expect.stringContaining('Add an active one to its fixture.'),
    })
  })

  test('whose reports move by commands alone is rehearsed too', async () => {
    const sandbox = await createSandbox()
    const report = await rehearseRight({ ...SMOKE, sandbox })
    expect(report).toHavePassed()
    expect(report.ledger.filter(({ finished_at }) => finished_at !== null).length).toBeGreaterThan(
      2,
    )
  })
})

/** Creates a client with one mistake: each run ends as if everything was done, even after an error. */
function createSilent() {
  const { reports, run } = createRightClient()
  return {
    reports,
    run: async (context: ClientContext) => {
      try {
        await run(context)
      } catch {
        // The mistake: nobody learns of the error.
      }
    },
  }
}

describe('a finding can be had again', () => {
  test('until its run, and from it with the state before', async () => {
    const client = createSilent()
    const state = {
      save: () => [...client.reports],
      load: (saved: [string, unknown][]) => {
        client.reports.clear()
        for (const [key, value] of saved) client.reports.set(key, value)
      },
    }
    const report = await rehearse(client.run, { ...SMOKE, state })
    const silent = report.checks.find(({ id }) => id === 'silent-failure')!
    expect(silent.result).toBe('failed')
    const [finding] = silent.findings
    expect(finding!.reproduce).toEqual({ seed: '1', start: report.plan.start, until: finding!.run })

    client.reports.clear()
    const { seed, start, until } = finding!.reproduce!
    const shorter = await rehearse(client.run, { ...SMOKE, seed, start, until })
    expect(shorter.runs).toEqual(report.runs.slice(0, until))
    const silentAgain = shorter.checks.find(({ id }) => id === 'silent-failure')!
    expect(silentAgain.findings[0]).toEqual(finding)

    client.reports.clear()
    const from = report.kept.find(({ run }) => run === finding!.run)!
    const alone = await rehearse(client.run, { ...SMOKE, seed, start, state, from, until })
    expect(alone.runs.map(({ number }) => number)).toEqual([until])
    const found = alone.checks.find(({ id }) => id === 'silent-failure')!.findings
    expect(found.map(({ run, message }) => [run, message])).toEqual([[until, finding!.message]])
    expect(alone.ledger.filter(({ fetches }) => fetches === 0)).toEqual([])
  })
})

describe('what a report has to show', () => {
  const idle = () => undefined

  test('is delivered where nothing else is required', async () => {
    const report = await rehearse(idle, SMOKE)
    expect(report.verdict).toBe('failed')
    expect(report.required.map(({ what, met }) => [what, met])).toEqual([['delivered', false]])
    expect(() => expect(report).toHavePassed()).toThrow(
      /^rehearsal 40 runs, 40 days, 0 requests: failed/,
    )
  })

  test('may be nothing, or a check of rehearsals', async () => {
    const nothing = await rehearse(idle, { ...SMOKE, require: [] })
    expect(nothing.verdict).toBe('nothing-asked')
    const required = ['silent-failure', 'recovery', 'warnings']
    const report = await rehearseRight({ ...SMOKE, require: required })
    expect(report.required.map(({ what, met }) => [what, met])).toEqual(
      required.map((what) => [what, true]),
    )
  })

  test('may fail for a while', async () => {
    const waive = [{ what: 'delivered', reason: 'Not yet.', until: '2999-12-31' }]
    const report = await rehearse(
      ({ url, fetch, token }) => {
        return fetch(`${url}/api/v1/me`, { headers: { Authorization: `Bearer ${token}` } })
      },
      { ...SMOKE, waive },
    )
    expect(report.waived).toMatchObject([{ what: 'delivered', state: 'used' }])
  })

  test('is only asked of a report of a rehearsal', () => {
    expect(() => expect({}).toHavePassed()).toThrow(/^This is not the report of a rehearsal\./)
  })
})

test.for(['text', 'markdown', 'html', 'junit'] as const)(
  'the format %s has the first line, a calendar, and the day of each finding',
  async (format) => {
    const text = formatReport(await once(rehearseSilent), format)
    expect(text).toMatch(/40 runs, 40 days, [\d,]+ requests: failed;/)
    expect(text).toMatch(/2026(?:\\)?-01/)
    expect(text).toMatch(/Run \d+, \d+ Jan (?:\\)?\(.+\): The run asked for/)
    expect(text).toMatch(/On \d+ days: /)
  },
)

test.for(['text', 'markdown', 'html', 'junit', 'json'] as const)(
  'the format %s says of each finding how to reproduce it',
  async (format) => {
    const report = await once(rehearseSilent)
    const written = formatReport(report, format)
    const text = written.replaceAll(/&#39;|&apos;/g, "'").replaceAll(String.raw`\_`, '_')
    const findings = report.checks
      .filter(({ result }) => result === 'failed')
      .flatMap((check) => check.findings)
    const { seed, start } = findings[0]!.reproduce!
    for (const { reproduce } of findings) {
      const { until } = reproduce!
      const own =
        format === 'json'
          ? new RegExp(
              String.raw`"reproduce": \{\s+"seed": "${seed}",\s+"start": "${start}",\s+"until": ${until}\s`,
            )
          : new RegExp(
              String.raw`Reproduce with \{ seed: '${seed}', start: '${start}', until: ${until} \}|and \d+ more: until [\d, ]*\b${until}\b`,
            )
      expect(text).toMatch(own)
    }
  },
)

test('the budget is only that of a client that passed', async () => {
  const passed = await once(rehearseRight)
  const requests = Math.max(...passed.runs.map((run) => run.requests))
  expect(passed.budget).toMatchObject({ requests, projects: 40 })
  expect(passed.budget!.fits.per_hour).toBe(Math.floor(40_000 / requests))
  expect(formatReport(passed)).toMatch(
    /^requests A run made at most \d+ requests for 40 projects: /m,
  )
  const failed = await once(rehearseSilent)
  expect([failed.verdict, failed.budget]).toEqual(['failed', undefined])
})

test('the JSON has the plan and each run, and no state of the client', async () => {
  const report = await once(rehearseRight)
  const written = JSON.parse(formatReport(report, 'json')) as Record<string, unknown>
  expect(Object.keys(written)).toEqual(expect.arrayContaining(['plan', 'runs', 'delays', 'ledger']))
  expect(written).not.toHaveProperty('kept')
})

test('each format says of a rehearsal that was stopped that it was, and not that it passed', async () => {
  const report = await rehearseRight({ profile: 'smoke', until: 3 })
  const notice = 'It was stopped after 3 of 40 runs.'
  const stopped = { ...report, verdict: 'failed', stopped: true, notice } as const
  const formats = ['text', 'html', 'markdown', 'junit'] as const
  for (const format of formats) {
    const text = formatReport(stopped, format)
    expect([format, text.includes(notice), /stopped;|was stopped</.test(text)]).toEqual([
      format,
      true,
      true,
    ])
    expect(text).not.toMatch(/client passed|: passed/)
  }
  expect(formatReport(stopped, 'junit')).toContain('failures="1"')
})
