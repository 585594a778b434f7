import { describe, expect, test } from 'vitest'
import type { Client } from '../support/transports.ts'
import {
  lastGeneratedOf,
  latestOf,
  latestOfAll,
  openScenario,
  reportsOf,
  turnMonth,
} from './scenario.ts'

/** The traps of latest and last-generated, as scenarios. */

/** `latest` and `last-generated` of a project. */
async function both(client: Client, project: number): Promise<(string | number | null)[]> {
  return [await latestOf(client, project), await lastGeneratedOf(client, project)]
}

async function complete(client: Client, project: number, report_number: number): Promise<void> {
  await client.sandbox.reports.set({ project, report_number }, { status: 'completed' })
}

describe('a report that finishes late', () => {
  test('4.6 once a newer one has completed, it shows only in the list (T8)', async () => {
    await using client = await openScenario('late-finisher')
    const before = await both(client, 101)
    await complete(client, 101, 2)
    expect(before).toEqual(['3 completed', 3])
    expect(await both(client, 101)).toEqual(before)
    expect(await reportsOf(client, 101)).toEqual(await reportsOf(client, 102))
    expect(await reportsOf(client, 101)).toContain('2 completed')
  })

  test('4.5(1) it is never in latest as completed (T3)', async () => {
    await using client = await openScenario('late-finisher')
    expect(await both(client, 103)).toEqual(['2 running', 1])
    await complete(client, 103, 2)
    expect(await both(client, 103)).toEqual(['3 pending', 2])
    await turnMonth(client)
    expect(await both(client, 103)).toEqual(['3 pending', 2])
  })
})

describe('a report that finishes early', () => {
  test('4.5(1) it is in latest only from the beginning of its month (T3)', async () => {
    await using client = await openScenario('early-finisher')
    expect(await both(client, 102)).toEqual(['2 running', 1])
    await complete(client, 102, 2)
    expect(await both(client, 101)).toEqual(['3 pending', 2])
    expect(await both(client, 102)).toEqual(['3 pending', 2])
    await turnMonth(client)
    expect(await both(client, 101)).toEqual(['2 completed', 2])
    expect(await both(client, 102)).toEqual(['2 completed', 2])
  })
})

describe('a report that is regenerated', () => {
  test('4.6 as a new row it makes the number of last-generated decrease (T8)', async () => {
    await using client = await openScenario('regenerated-older-report')
    expect(await both(client, 101)).toEqual(['3 completed', 3])
    await client.sandbox.reports.set({ project: 101, report_number: 1 }, { created_at: 'now' })
    expect(await both(client, 101)).toEqual(['3 completed', 1])
    expect(await both(client, 102)).toEqual(['3 completed', 1])
  })

  test('4.6 while it is running last-generated falls back to the one before (T8)', async () => {
    await using client = await openScenario('regenerated-older-report')
    expect(await both(client, 103)).toEqual(['3 running', 2])
    await complete(client, 103, 3)
    expect(await both(client, 103)).toEqual(['3 completed', 3])
  })
})

describe('an old report that failed', () => {
  test('4.5(2) blocks the running one, and again after the month changes, until it is repaired (T5)', async () => {
    await using client = await openScenario('failed-blocks-latest')
    expect(await both(client, 101)).toEqual(['2 failed', 3])
    await complete(client, 101, 4)
    expect(await latestOf(client, 101)).toBe('4 completed')
    await turnMonth(client)
    expect(await both(client, 101)).toEqual(['2 failed', 4])
    await complete(client, 101, 2)
    expect(await both(client, 101)).toEqual(['5 pending', 4])
  })

  test('4.5(1) is hidden only while a report of this month is completed (T4, T5)', async () => {
    await using client = await openScenario('failed-blocks-latest')
    expect(await latestOf(client, 103)).toBe('3 completed')
    await turnMonth(client)
    expect(await latestOf(client, 103)).toBe('2 failed')
  })
})

test('4.5(1) a completed report hides a running one, which shows once it is deleted (T4)', async () => {
  await using client = await openScenario('latest-rule-1')
  expect(await latestOf(client, 104)).toBe('1 completed')
  await client.sandbox.command({ type: 'record.delete', collection: 'reports', id: 510401 })
  expect(await latestOf(client, 104)).toBe('2 running')
})

test('4.4 reports that neither endpoint selects are in the list (T1)', async () => {
  await using client = await openScenario('non-regular-reports')
  expect(await both(client, 106)).toEqual([null, null])
  expect(await reportsOf(client, 106)).toEqual(['3 failed', '2 pending', '1 completed'])
})

test('4.5 policies change the result for ties and missing dates', async () => {
  await using ties = await openScenario('latest-ties', { policies: { 'completed-tie': 'number' } })
  expect(await latestOfAll(ties, [101, 102])).toEqual(['2 completed', '3 completed'])
  const policies = { 'undated-reports': 'first' }
  await using nulls = await openScenario('null-dates', { policies })
  expect(await latestOfAll(nulls, [101, 102, 104])).toEqual(['1 pending', '1 pending', '2 pending'])
})
