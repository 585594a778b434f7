import { describe, expect, test } from 'vitest'
import { openScenario, lastGeneratedOf, latestOfAll, read, turnMonth } from './scenario.ts'

/** Specification 4.5 where one month ends and the next begins. */

const NO_LATEST = {
  latest_report_generated_at: null,
  latest_report_id: null,
  latest_report_number: null,
  latest_report_status: null,
}

test('4.5(1) the last second of a year still counts, the one after it does not', async () => {
  await using client = await openScenario('last-second-of-month')
  const projects = [101, 102, 103]
  expect(await latestOfAll(client, projects)).toEqual(['1 completed', '2 pending', '1 completed'])
  await client.sandbox.clock.advance(999)
  expect(await latestOfAll(client, projects)).toEqual(['1 completed', '2 pending', '1 completed'])
  await client.sandbox.clock.advance(1)
  expect(client.sandbox.clock.read().now).toBe('2027-01-01T00:00:00.000000Z')
  expect(await latestOfAll(client, projects)).toEqual(['2 pending', '1 completed', null])
})

test('4.5(1) the first second of a year counts, the one before it does not', async () => {
  await using client = await openScenario('first-second-of-month')
  const projects = [101, 102, 103, 104]
  expect(await latestOfAll(client, projects)).toEqual([
    '2 pending',
    '1 completed',
    '1 completed',
    null,
  ])
  await client.sandbox.clock.set('now-1s')
  expect(await latestOfAll(client, projects)).toEqual(['1 completed', '2 pending', null, null])
})

test('4.5(1) in a zone east of Greenwich the last second of December is in January (T27)', async () => {
  const policies = { 'month-time-zone': 'Europe/Copenhagen' }
  await using client = await openScenario('last-second-of-month', { policies })
  expect(await latestOfAll(client, [101, 102, 103])).toEqual(['2 pending', '1 completed', null])
})

describe('reports due on the 31st', () => {
  test('4.5(1) each month has its own, including February', async () => {
    await using client = await openScenario('clamped-day-31')
    const shown = []
    for (let month = 0; month < 3; month += 1) {
      shown.push([
        client.sandbox.clock.read().now.slice(0, 10),
        ...(await latestOfAll(client, [101])),
      ])
      await client.sandbox.clock.advance('P1M')
    }
    expect(shown).toEqual([
      ['2027-01-31', '2 completed'],
      ['2027-02-28', '3 completed'],
      ['2027-03-28', '4 pending'],
    ])
  })

  test.each([
    [undefined, ['2027-03-31', '2027-02-28', '2027-01-31', '2026-12-31']],
    ['2028-01-31', ['2028-03-31', '2028-02-29', '2028-01-31', '2027-12-31']],
    ['2026-03-30', ['2026-05-31', '2026-04-30', '2026-03-31', '2026-02-28']],
  ])(
    '2.6 their dates are the last days of the months, with the clock at %s',
    async (now, dates) => {
      await using client = await openScenario('clamped-day-31', now === undefined ? {} : { now })
      const reports = await read(client, '/projects/101/reports')
      const shown = reports
        .toSorted((one: any, other: any) => other.report_number - one.report_number)
        .map(({ date_to_create_texts }: any) => date_to_create_texts)
      expect(shown).toEqual(dates)
    },
  )
})

describe('when the month changes', () => {
  const projects = [101, 102, 103, 104]

  test('4.5 latest goes back, disappears, advances or stays, without any write (T3, T6, T9)', async () => {
    await using client = await openScenario('month-rollover')
    expect(await latestOfAll(client, projects)).toEqual([
      '3 completed',
      '1 completed',
      '1 completed',
      '1 pending',
    ])
    await turnMonth(client)
    expect(await latestOfAll(client, projects)).toEqual([
      '1 failed',
      null,
      '2 completed',
      '1 pending',
    ])
  })

  test('4.6 last-generated does not change', async () => {
    await using client = await openScenario('month-rollover')
    const lastGenerated = () =>
      Promise.all(projects.map((project) => lastGeneratedOf(client, project)))
    const before = await lastGenerated()
    await turnMonth(client)
    expect(before).toEqual([3, 1, 2, null])
    expect(await lastGenerated()).toEqual(before)
  })

  test('2.4(3) id and number of the latest report decrease (T9)', async () => {
    await using client = await openScenario('month-rollover')
    const before = await read(client, '/projects/101')
    await turnMonth(client)
    const after = await read(client, '/projects/101')
    expect(before).toMatchObject({ latest_report_id: 510103, latest_report_number: 3 })
    expect(after).toMatchObject({ latest_report_id: 510101, latest_report_number: 1 })
  })

  test('2.4(2) the four fields are null together (T7)', async () => {
    await using client = await openScenario('month-rollover')
    expect(await read(client, '/projects/102')).not.toMatchObject(NO_LATEST)
    await turnMonth(client)
    expect(await read(client, '/projects/102')).toMatchObject(NO_LATEST)
  })

  test('4.5(3) a sequence of 26 that is over no longer has a latest report (T6)', async () => {
    await using client = await openScenario('all-26-reports')
    await turnMonth(client)
    expect(await latestOfAll(client, projects)).toEqual([null, null, '1 pending', '14 pending'])
    expect(await lastGeneratedOf(client, 101)).toBe(26)
  })
})
