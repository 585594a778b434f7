import { createSandbox } from 'seo-sandbox'
import type {
  ClockState,
  Command,
  Country,
  FixtureInput,
  Keyword,
  KeywordEntry,
  Language,
  OptionError,
  Project,
  ProjectListItem,
  ProjectPage,
  Report,
  ReportContent,
  RequestFilter,
  Sandbox,
  SandboxOptions,
  TokenIdentity,
  User,
} from 'seo-sandbox'
import { collections } from 'seo-sandbox/data'
import * as matchers from 'seo-sandbox/matchers'
import { handlers } from 'seo-sandbox/msw'
import { loadFixtures, middleware, startServer } from 'seo-sandbox/server'
import type {
  MswHandler,
  SandboxServer,
  StoreError,
  StoreErrorCode,
  StoreServer,
} from 'seo-sandbox/server'
import { createTest } from 'seo-sandbox/vitest'
import { http } from 'msw'
import { setupServer } from 'msw/node'
import { describe, expect, expectTypeOf, test } from 'vitest'

/**
 * The types of the built package, as a consumer sees them: a mistake here is a compile-time error.
 */

type User22 = { id: number; name: string; role: string | null; agency: Agency22 | null }
type Agency22 = { id: number; name: string }
type Status = 'pending' | 'running' | 'completed' | 'failed'

describe('the wire', () => {
  test('2.2, 2.3: users, countries and languages', () => {
    expectTypeOf<User>().toEqualTypeOf<User22>()
    expectTypeOf<Country>().toEqualTypeOf<{ id: number; label: string }>()
    expectTypeOf<Language>().toEqualTypeOf<Country>()
  })

  test('2.4, 4.3: the project list', () => {
    expectTypeOf<ProjectPage['data']>().toEqualTypeOf<ProjectListItem[]>()
    expectTypeOf<ProjectPage['links']['next']>().toEqualTypeOf<string | null>()
    expectTypeOf<ProjectListItem['latest_report_status']>().toEqualTypeOf<Status | null>()
    expectTypeOf<ProjectListItem['status']>().toEqualTypeOf<string>()
  })

  test("2.5: a project, whose agency is a text, while a user's is an object", () => {
    expectTypeOf<Project['agency']>().toEqualTypeOf<string | null>()
    expectTypeOf<Project['managing_user']>().toEqualTypeOf<User | null>()
    expectTypeOf<Project['client_emails']>().toEqualTypeOf<string[]>()
    expectTypeOf<Project>().not.toHaveProperty('status')
  })

  test('2.6: a report, without created_at (T2)', () => {
    expectTypeOf<Report['status']>().toEqualTypeOf<Status>()
    expectTypeOf<Report['approved_by']>().toEqualTypeOf<User | null>()
    expectTypeOf<Report>().not.toHaveProperty('created_at')
  })

  test('2.7: content, whose shape depends on the scheme', () => {
    expectTypeOf<ReportContent['content_scheme']>().toEqualTypeOf<string | null>()
    expectTypeOf<ReportContent['keywords']>().toEqualTypeOf<KeywordEntry[]>()
    expectTypeOf<{ h3: string; text: string }[]>().toExtend<KeywordEntry['content']>()
    expectTypeOf<null>().toExtend<KeywordEntry['html']>()
  })

  test('2.8, 2.9: keywords and the identity of a token', () => {
    expectTypeOf<Keyword['content_action_ids']>().toEqualTypeOf<number[]>()
    expectTypeOf<TokenIdentity['status']>().toEqualTypeOf<'active' | 'disabled'>()
    expectTypeOf<TokenIdentity['agency_id']>().toEqualTypeOf<number | null>()
  })
})

describe('a sandbox', () => {
  test('is created with options that are all optional', () => {
    expectTypeOf(createSandbox).toBeCallableWith()
    expectTypeOf(createSandbox).returns.resolves.toEqualTypeOf<Sandbox>()
    expectTypeOf<{ fixtures: string }>().toExtend<SandboxOptions>()
    expectTypeOf<{ policies: { 'foreign-project': '403' } }>().toExtend<SandboxOptions>()
    expectTypeOf<{ now: Date; rateLimit: 'unlimited' }>().toExtend<SandboxOptions>()
    // @ts-expect-error: a misspelt option is a compile-time error
    void createSandbox({ fixture: '' })
  })

  test("has a fetch that can replace the platform's", () => {
    expectTypeOf<Sandbox['fetch']>().toExtend<typeof fetch>()
    expectTypeOf<Sandbox['fetch']>().parameter(1).exclude(undefined).toHaveProperty('clientIp')
  })

  test('is controlled by methods that are commands', () => {
    expectTypeOf<Sandbox['clock']['advance']>().parameter(0).toEqualTypeOf<string | number>()
    expectTypeOf<Sandbox['clock']['set']>().returns.resolves.toEqualTypeOf<ClockState>()
    expectTypeOf<Sandbox['reset']>().returns.resolves.toEqualTypeOf<void>()
    expectTypeOf<{ type: 'clock.advance'; by: string }>().toExtend<Command>()
    expectTypeOf<{ type: 'clock.rewind' }>().not.toExtend<Command>()
  })

  test('its fixtures have the type of the format', () => {
    expectTypeOf<{
      version: 1
      agencies: { id: number; name: string }[]
    }>().toExtend<FixtureInput>()
    expectTypeOf<{ agencies: [] }>().not.toExtend<FixtureInput>()
  })

  test('its errors are distinguished by class and code', () => {
    expectTypeOf<OptionError['code']>().toEqualTypeOf<'invalid_option'>()
    expectTypeOf<StoreError['code']>().toEqualTypeOf<StoreErrorCode>()
  })
})

describe('integrations', () => {
  test('msw accepts the handlers, of a sandbox or a promise of one', () => {
    expectTypeOf(handlers).parameter(0).toEqualTypeOf<Sandbox | Promise<Sandbox>>()
    expectTypeOf(setupServer).toBeCallableWith(...handlers(createSandbox()))
  })

  test('a server accepts the handlers of msw', () => {
    expectTypeOf(http.get('*', () => undefined)).toExtend<MswHandler>()
    expectTypeOf(startServer()).resolves.toEqualTypeOf<SandboxServer>()
    const stored = startServer({ store: 'redis://127.0.0.1:6379' })
    expectTypeOf(stored).resolves.toEqualTypeOf<StoreServer>()
    expectTypeOf(loadFixtures('a.yaml')).resolves.toExtend<Awaited<SandboxOptions['fixtures']>>()
  })

  test('expect accepts the matchers, which accept endpoints and filters', () => {
    expect.extend(matchers)
    expectTypeOf(expect(createSandbox()).toHaveRequested).toBeCallableWith('/me', { times: 1 })
    expectTypeOf(expect(createSandbox()).not.toHaveOnlyKnownRoutes).toBeCallableWith()
    expectTypeOf<{ status: '4xx'; token: null }>().toExtend<RequestFilter>()
    expectTypeOf<{ stats: 404 }>().not.toExtend<RequestFilter>()
  })

  test('collections of @msw/data have the fields of fixtures', async () => {
    const { projects, reports } = await collections(createSandbox())
    expectTypeOf(reports.findFirst()).exclude(undefined).toHaveProperty('report_number')
    expectTypeOf(reports.all()[0]!.status).toEqualTypeOf<Status>()
    expectTypeOf(projects.findFirst(undefined, { strict: true }).agency).toEqualTypeOf<number>()
    expectTypeOf({ id: 1, agency: 1, name: '', status: '', created_at: 'now' }).toExtend<
      Parameters<typeof projects.create>[0]
    >()
    // @ts-expect-error: a record without its name is a compile-time error
    void (() => projects.create({ id: 1, agency: 1, status: '', created_at: 'now' }))
  })

  test('middleware fits node:http, Connect and Express', () => {
    type Listener = import('node:http').RequestListener
    type Handler = import('express').RequestHandler
    expectTypeOf<ReturnType<typeof middleware>>().toExtend<Listener>()
    expectTypeOf<ReturnType<typeof middleware>>().toExtend<Handler>()
  })

  const frozenTest = createTest({ frozen: true })

  frozenTest('a test of Vitest is given a sandbox and a base URL', ({ sandbox, api }) => {
    expectTypeOf(sandbox).toEqualTypeOf<Sandbox>()
    expectTypeOf(api).toEqualTypeOf<string>()
  })
})
