import { describe, expect, test } from 'vitest'
import { OPERATIONS } from '../../src/contract/operations.ts'
import type { OperationId } from '../../src/contract/routes.ts'
import { isFullDepth } from '../support/depth.ts'
import type { Client } from '../support/transports.ts'
import {
  lastGeneratedOf,
  latestOf,
  openScenario,
  readScenario,
  SCENARIO_NAMES,
} from './scenario.ts'

type Shown = [project: number, latest: string | null, lastGenerated: number | null]

/** The demo is generated; demo.test.ts covers it. */
const WRITTEN = SCENARIO_NAMES.filter((name) => name !== 'demo')

/** The reports that the comments of each scenario state, null for 404. */
const STATED: Record<string, Shown[]> = {
  'all-26-reports': [
    [101, '26 completed', 26],
    [102, null, 26],
    [103, '1 pending', null],
    [104, '13 completed', 13],
  ],
  'all-null': [
    [101, null, null],
    [102, null, 1],
    [103, '1 pending', null],
  ],
  'clamped-day-31': [[101, '2 completed', 3]],
  'early-finisher': [
    [101, '3 pending', 2],
    [102, '2 running', 1],
  ],
  'empty-agency': [],
  'failed-blocks-latest': [
    [101, '2 failed', 3],
    [102, '2 failed', 1],
    [103, '3 completed', 3],
  ],
  'first-second-of-month': [
    [101, '2 pending', 1],
    [102, '1 completed', 1],
    [103, '1 completed', 1],
    [104, null, 1],
  ],
  'five-agencies': [
    [101, null, null],
    [106, null, null],
    [109, '1 completed', 1],
  ],
  'hour-exhausted': [[101, '1 completed', 1]],
  'inactive-keywords': [
    [101, '1 completed', 1],
    [102, '1 completed', 1],
    [103, '1 completed', 1],
  ],
  'large-project': [[101, '26 completed', 26]],
  'last-generated': [
    [101, '2 completed', 1],
    [102, '1 pending', 2],
    [103, null, 1],
    [104, null, 2],
    [105, null, 1],
    [106, '2 failed', 1],
    [107, '1 pending', null],
    [108, null, null],
  ],
  'last-second-of-month': [
    [101, '1 completed', 1],
    [102, '2 pending', 1],
    [103, '1 completed', 1],
  ],
  'late-finisher': [
    [101, '3 completed', 3],
    [102, '3 completed', 3],
    [103, '2 running', 1],
  ],
  'latest-404': [
    [101, null, null],
    [102, null, 2],
    [103, null, 1],
    [104, null, null],
    [105, null, 1],
    [106, null, null],
  ],
  'latest-rule-1': [
    [101, '1 completed', 1],
    [102, '1 completed', 1],
    [103, '1 completed', 1],
    [104, '1 completed', 1],
    [105, '2 completed', 2],
    [106, '2 completed', 3],
    [107, '1 completed', 2],
    [108, '2 pending', 1],
  ],
  'latest-rule-2': [
    [101, '2 pending', 1],
    [102, '2 pending', 1],
    [103, '2 pending', 1],
    [104, '2 running', 1],
    [105, '2 running', 1],
    [106, '2 running', 1],
    [107, '2 failed', 1],
    [108, '2 failed', 1],
    [109, '2 failed', 1],
    [110, '2 pending', null],
    [111, '3 running', null],
  ],
  'latest-ties': [
    [101, '1 completed', 2],
    [102, '1 completed', 3],
    [103, '2 pending', null],
    [104, '3 running', null],
  ],
  'long-values': [
    [101, '1 completed', 1],
    [Number.MAX_SAFE_INTEGER, '26 completed', 26],
  ],
  'minute-exhausted': [[101, '1 completed', 1]],
  'month-rollover': [
    [101, '3 completed', 3],
    [102, '1 completed', 1],
    [103, '1 completed', 2],
    [104, '1 pending', null],
  ],
  'names-of-the-world': [101, 102, 103, 104, 105, 106, 107].map((id) => [id, '1 completed', 1]),
  'non-regular-reports': [
    [101, '1 completed', 2],
    [102, '3 pending', 1],
    [103, '2 pending', null],
    [104, '2 pending', null],
    [105, null, 1],
    [106, null, null],
    [107, null, null],
  ],
  'null-dates': [
    [101, '2 pending', null],
    [102, null, null],
    [103, null, 1],
    [104, '2 pending', 1],
    [105, '2 completed', 2],
  ],
  'regenerated-older-report': [
    [101, '3 completed', 3],
    [102, '3 completed', 1],
    [103, '3 running', 2],
  ],
  'unfinished-content': [
    [101, '1 completed', 1],
    [102, '2 running', 1],
  ],
  'unicode-and-html': [101, 102, 103, 104, 105, 106].map((id) => [id, '1 completed', 1]),
  'unknown-content-scheme': [[101, '6 completed', 6]],
  'unknown-values': [101, 102, 103, 104, 105, 106, 107].map((id) => [id, '1 completed', 1]),
}

/** Difficult dates for calendars; undefined is today. */
const DAYS = [
  undefined,
  '2026-01-01T00:00:00Z',
  '2026-01-31T12:00:00Z',
  '2026-02-28T23:59:59.999Z',
  '2028-02-29T12:00:00Z',
  '2026-12-31T23:59:59.999Z',
]

/** A scenario's purpose: after the line for editors, a sentence without a full stop. */
const PURPOSE =
  /^# yaml-language-server: \$schema=\.\.\/schema\.json\n# purpose: (\S.{19,119}[^.\s])\n/

function purposeOf(name: string): string {
  return PURPOSE.exec(readScenario(name))?.[1] ?? ''
}

test('every scenario is listed here', () => {
  expect(WRITTEN.toSorted()).toEqual(Object.keys(STATED).toSorted())
})

test('every scenario states its own purpose on its first line', () => {
  const purposes = SCENARIO_NAMES.map(purposeOf)
  expect(purposes).not.toContain('')
  expect(new Set(purposes).size).toBe(purposes.length)
})

test('every domain is a reserved one', () => {
  const hosts = SCENARIO_NAMES.flatMap((name) =>
    [...readScenario(name).matchAll(/(?:https?:\/\/|\w"?@)([^\s/?#"'\\,\]]+)/g)].map(
      ([, host = '']) => host,
    ),
  )
  expect(hosts.length).toBeGreaterThan(400)
  expect(hosts.filter((host) => !/(^|\.)example(\.(com|net|org))?$/.test(host))).toEqual([])
})

describe.each(WRITTEN)('the scenario %s', (name) => {
  test('has the tokens of the default world, with their limits', async () => {
    await using client = await openScenario(name)
    const seen = []
    for (const token of ['sandbox-agency', 'sandbox-super', 'sandbox-unlimited']) {
      const { status, headers } = await client.send({ path: '/countries', token })
      seen.push([status, headers['x-ratelimit-limit']])
    }
    const agencyStatus = name.endsWith('-exhausted') ? 429 : 200
    expect(seen).toEqual([
      [agencyStatus, '60'],
      [200, '60'],
      [200, undefined],
    ])
    const scopes = client.sandbox.world.records
      .all('tokens')
      .map(({ id, token, agency }) => [id, token, agency])
    expect(scopes).toEqual([
      [1, 'sandbox-agency', 1],
      [2, 'sandbox-super', null],
      [5, 'sandbox-unlimited', 1],
    ])
  })

  test('shows what its comments state and follows the contract, on any day', async () => {
    for (const now of DAYS) {
      await using client = await openScenario(name, at(now))
      if (now === undefined || !hasClock(name)) {
        expect(await shownBy(client, name), now).toEqual(STATED[name])
      }
      if (now !== undefined && !isFullDepth) continue
      await checkResponses(client, 'sandbox-unlimited')
      if (isFullDepth) await checkResponses(client, 'sandbox-super')
    }
  })
})

async function shownBy(client: Client, name: string): Promise<Shown[]> {
  const shown: Shown[] = []
  for (const [project] of STATED[name] ?? []) {
    shown.push([project, await latestOf(client, project), await lastGeneratedOf(client, project)])
  }
  return shown
}

function at(now: string | undefined): { now?: string; frozen: true; rateLimit: 'unlimited' } {
  return { ...(now !== undefined && { now }), frozen: true, rateLimit: 'unlimited' }
}

/** True for a scenario that sets the clock: its comments apply only at that time. */
function hasClock(name: string): boolean {
  return /^now: /m.test(readScenario(name))
}

/**
 * Requests everything that a token can see from every operation, and compares the contents that several responses share.
 */
async function checkResponses(client: Client, token: string): Promise<void> {
  const get = async (id: OperationId, ...params: number[]): Promise<any> => {
    const rest = [...params]
    const path = OPERATIONS[id].path.replaceAll(/\{\w+\}/g, () => String(rest.shift()))
    const { status, body } = await client.send({ path, token })
    if (status === 404) return undefined
    expect(status, path).toBe(200)
    expect(OPERATIONS[id].response.safeParse(body).error, path).toBeUndefined()
    return body.data
  }

  await get('getMe')
  for (const { id, ...country } of await get('listCountries')) {
    expect(await get('getCountry', id)).toEqual({ id, ...country })
  }
  for (const { id, ...language } of await get('listLanguages')) {
    expect(await get('getLanguage', id)).toEqual({ id, ...language })
  }
  for (const { id, ...user } of await get('listUsers')) {
    expect(await get('getUser', id)).toEqual({ id, ...user })
  }
  for (const item of await get('listProjects')) {
    const { status, ...shared } = item
    expect(await get('getProject', item.id)).toMatchObject(shared)
    const latest = await get('getLatestReport', item.id)
    const fields = [item.latest_report_id, item.latest_report_number, item.latest_report_status]
    expect(fields).toEqual(
      latest ? [latest.id, latest.report_number, latest.status] : [null, null, null],
    )
    expect(item.latest_report_generated_at === null).toBe(latest === undefined)
    const lastGenerated = await get('getLastGeneratedReport', item.id)
    expect([undefined, 'completed']).toContain(lastGenerated?.status)
    const keywords = await get('listKeywords', item.id)
    expect(keywords).toHaveLength(item.keyword_count)
    for (const report of await get('listReports', item.id)) {
      const content = await get('getReportContent', item.id, report.report_number)
      expect(content.project_status).toBe(status)
      checkContent(report, content)
    }
  }
}

function checkContent(report: any, content: any): void {
  expect([content.report_id, content.generation_status, content.is_generated]).toEqual([
    report.id,
    report.status,
    report.status === 'completed',
  ])
  expect(content.summary).toEqual({
    keyword_count: content.keywords.length,
    keywords_with_content: content.keywords.filter((entry: any) => entry.has_content).length,
  })
  const isKnown = content.content_scheme === 'h3_text_blocks'
  const inconsistent = content.keywords.filter(
    ({ has_content, content: text, html }: any) =>
      (text !== null) !== has_content ||
      (html !== null) !== has_content ||
      (isKnown && text?.length !== html?.length),
  )
  expect(inconsistent).toEqual([])
}
