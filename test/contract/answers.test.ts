import { expect, test } from 'vitest'
import { POLICIES } from '../../src/contract/gaps.ts'
import { reportLinks, REPORT_STEP_NAMES } from '../../src/contract/report-facts.ts'
import { CommandError, createSandbox } from '../../src/index.ts'
import type { Command, FixtureInput, Sandbox } from '../../src/index.ts'
import type { RecordOf } from '../../src/contract/records.ts'
import { createRandom } from '../../src/records/random.ts'
import type { Random } from '../../src/records/random.ts'
import { runs } from '../support/depth.ts'
import { answerBySpecification } from '../support/specification.ts'
import type { Asked, Tables } from '../support/specification.ts'

/**
 * Every answer against an independent statement of the specification: of random worlds, and of the same after random commands,
 * steps of reports, and tokens that change while data is stale (G-058). Half a million of each are compared with PROPERTY_DEPTH=10, as
 * in `.ci/nightly depth`, otherwise a hundredth. Static ones are compared before and after 20,000 other requests, because V8 optimises
 * code that runs often, and has done so wrongly.
 */

const STATIC_ANSWERS = runs(50_000, 5000)
const ANSWERS_AFTER_COMMANDS = runs(50_000, 1000)

const NOW = '2026-03-15T12:00:30.000000Z'
const BEARERS = ['any-super', 'any-one', 'any-two', 'any-disabled', 'any-far', 'any-nowhere']
const NAMES = ['Fish & Søn', 'fish', 'FISH%', 'Ærø', 'ærø_1', 'Z', '"', '日本 fish']
const STATUSES = ['active', 'Active', 'paused', 'ended']
const DAYS = ['2025-03-15', '2026-02-28', '2026-03-01', '2026-03-15', '2026-03-31', '2026-04-01']
const TIMES = [
  '2026-01-01T00:00:00.000000Z',
  '2026-01-01T00:00:00.000001Z',
  '2026-03-01T08:00:00.000000Z',
]
const TEXTS = ['plain', 'a < b & "c"', "it's\nnew", '<b>', '']

const orNull = <Value>(random: Random, value: Value): Value | null =>
  random.chance(0.3) ? null : value

function aTable(random: Random, from: number, to: number, make: (id: number) => object): any[] {
  const ids = new Set<number>()
  const count = random.integer(from, to)
  while (ids.size < count) ids.add(random.integer(1, 40))
  return [...ids].toSorted((one, other) => one - other).map(make)
}

/** Random records, each with every field; references are to existing records. */
function createTables(random: Random): Tables {
  const pick = <Item>(list: readonly Item[]): Item => random.pick(list)
  const idOf = (list: any[]): number | null =>
    list.length > 0 ? orNull(random, pick(list).id) : null
  const agencies = [1, 2, 3].map((id) => ({
    id,
    name: `Agency ${id}`,
    report_cc_email: orNull(random, `cc${id}@any.example`),
  }))
  const countries = aTable(random, 0, 4, (id) => ({
    id,
    label: `C${id}`,
    applicable: random.chance(0.7),
  }))
  const languages = aTable(random, 0, 3, (id) => ({ id, label: `L${id}` }))
  const users = aTable(random, 0, 6, (id) => ({
    id,
    name: pick(NAMES),
    role: orNull(random, 'Editor'),
    agency: orNull(random, pick([1, 2, 3])),
  }))
  const allowed: Record<string, string[]> = {
    'any-far': ['203.0.113.7'],
    'any-nowhere': [],
  }
  const tokens = BEARERS.map((token, index) => ({
    id: index + 1,
    name: `Token ${index}`,
    token,
    agency: index === 0 ? null : index === 2 ? 2 : 1,
    status: token === 'any-disabled' ? 'disabled' : 'active',
    abilities: pick([['*'], ['projects:read'], []]),
    rate_limit: 'unlimited',
    ...(allowed[token] && { allowed_ips: allowed[token] }),
  }))
  const projects = aTable(random, 0, 7, (id) => ({
    id,
    agency: pick([1, 1, 2]),
    name: pick(NAMES),
    status: pick(STATUSES),
    created_at: pick(TIMES),
    company_name: orNull(random, pick(NAMES)),
    domain: orNull(random, `https://${pick(['fish', 'z', 'AERO'])}.example`),
    country: idOf(countries),
    text_language: null,
    report_language: idOf(languages),
    managing_user: idOf(users),
    created_by: idOf(users),
    contact_email: orNull(random, 'any@any.example'),
    client_emails: pick([[], ['a@any.example'], ['b@any.example', 'a@any.example']]),
    receives_monthly_reports: random.chance(0.5),
    plan: orNull(random, 'Basic'),
    gsc_status: orNull(random, 'connected'),
  }))
  const keywords = projects.flatMap(({ id: project }) =>
    aTable(random, 0, 4, (id) => ({
      id: project * 100 + id,
      keyword: pick(NAMES),
      create_date: pick(DAYS),
      url: orNull(random, 'https://any.example/fish'),
      latest_position: orNull(random, random.integer(1, 99)),
      status_200: orNull(random, random.chance(0.5)),
      active: random.chance(0.7),
      project,
    })),
  )
  const reports = projects.flatMap(({ id: project }) => {
    const own = keywords.filter((keyword) => keyword.project === project)
    const numbers = new Set<number>()
    for (let count = random.integer(0, 7); count > 0; count -= 1) numbers.add(random.integer(1, 26))
    return [...numbers].map((number) =>
      createReport(random, {
        id: project * 100 + random.integer(0, 1) * 50 + number,
        number,
        project,
        own,
        users,
      }),
    )
  })
  return {
    agencies,
    countries,
    languages,
    users,
    tokens,
    projects,
    keywords,
    reports: byId(reports),
  }
}

function byId(list: any[]): any[] {
  return list.toSorted((one, other) => one.id - other.id)
}

function createReport(
  random: Random,
  {
    id,
    number,
    project,
    own,
    users,
  }: { id: number; number: number; project: number; own: any[]; users: any[] },
): any {
  const user = () => (users.length > 0 ? orNull(random, random.pick(users).id) : null)
  const drawn = random.pick(['omitted', 'omitted', null, 'h3_text_blocks', 'other'])
  const scheme = drawn === 'omitted' ? undefined : drawn
  const text = () => random.pick(TEXTS)
  const entry = () => {
    if (scheme === 'other')
      return { content: random.pick([[], { a: [text()] }]), html: { a: text() } }
    return Array.from({ length: random.integer(0, 2) }, () => ({ h3: text(), text: text() }))
  }
  const covered = own.filter(() => random.chance(0.6))
  const hasContent = scheme !== null && random.chance(0.6)
  return {
    id,
    project,
    report_number: number,
    status: random.pick(['pending', 'running', 'completed', 'completed', 'failed']),
    created_at: random.pick(TIMES),
    report_name: orNull(random, 'Monthly'),
    date_to_create_texts: orNull(random, random.pick(DAYS)),
    date_to_send_to_client: orNull(random, random.pick(DAYS)),
    sent: random.chance(0.5),
    approved_status: orNull(random, random.pick(['approved', 'rejected'])),
    approved_by: user(),
    managed_status: orNull(random, 'completed'),
    managed_by: user(),
    pdf_link: orNull(random, 'https://any.example/1.pdf'),
    web_link: orNull(random, 'https://any.example/1'),
    level: random.pick(['project', 'project', 'project', 'keyword']),
    action_type: random.pick(['regular', 'regular', 'regular', 'extra']),
    ...(scheme !== undefined && { content_scheme: scheme }),
    ...(scheme === 'other' && { content_scheme_fields: random.pick([null, ['a', 'b']]) }),
    ...(hasContent && {
      content: Object.fromEntries(covered.map((keyword) => [keyword.id, entry()])),
    }),
  }
}

/** The records as a fixture, which may leave out null fields. */
function toFixture(
  random: Random,
  { keywords, reports, projects, ...others }: Tables,
): FixtureInput {
  const without = (record: any) =>
    Object.fromEntries(
      Object.entries(record).filter(
        // A scheme that is omitted and one that is null are not the same.
        ([name, value]) =>
          name !== 'project' &&
          (value !== null || /^content|agency/.test(name) || random.chance(0.5)),
      ),
    )
  const of = (list: any[], id: number) => list.filter(({ project }) => project === id).map(without)
  return structuredClone({
    version: 1,
    now: NOW,
    frozen: true,
    ...others,
    projects: projects.map((project) => ({
      ...without(project),
      keywords: of(keywords, project.id),
      reports: of(reports, project.id),
    })),
  }) as FixtureInput
}

const decoder = new TextDecoder()

function answer(sandbox: Sandbox, { authorization, ...asked }: Asked) {
  return sandbox.answer({
    ...asked,
    origin: 'http://any.example',
    header: (name) =>
      name === 'authorization' ? authorization : name === 'accept' ? 'application/json' : undefined,
  })
}

/** Compares the response to a request with the specification. */
function compare(
  sandbox: Sandbox,
  asked: Asked,
  expected: ReturnType<typeof answerBySpecification>,
  place: string,
): number {
  const { status, body, headers } = answer(sandbox, asked)
  const text = decoder.decode(body)
  // As texts, because comparing objects takes longer than all the rest.
  const found = JSON.stringify({ status, ...(status === 200 ? { text } : errorOf(text)) })
  const { allowed } = expected
  const wanted = allowed ? { ...SENTENCE, allowed } : SENTENCE
  const right = JSON.stringify({ status: expected.status, ...(expected.text ? expected : wanted) })
  if (found !== right) expect({ place, asked, found }).toEqual({ place, asked, found: right })
  if ((headers['Allow'] !== undefined) !== (status === 405)) expect(headers).toBe(asked)
  return status
}

const STATUSES_SEEN = new Set([200, 400, 401, 403, 404, 405])

const SENTENCE = { message: 'string' }

/** The certain parts of an error's body: a sentence, and the names that it lists, which the sentence has too. */
function errorOf(text: string): object {
  const { message, allowed_parameters: allowed, ...rest } = JSON.parse(text)
  const named = allowed?.filter((name: string) => message.includes(name))
  return { message: typeof message, ...(named && { allowed: named }), ...rest }
}

const LISTS = ['countries', 'languages', 'users', 'projects']
const QUERIES = [
  'status=active',
  'status=Active&per_page=2',
  'status=',
  'status=none&status=paused',
  'search=fish',
  'search=FISH&page=2&per_page=1',
  'search=%25',
  'search=_',
  'search=%C3%86R%C3%98',
  'search=.example&status=active&agency_id=',
  'agency_id=1',
  'agency_id=2&per_page=1&page=2',
  'agency_id=99',
  'agency_id=one',
  'page=0',
  'page=-1&per_page=3',
  'page=3&per_page=2',
  'page=99',
  'page=x&per_page=y',
  'per_page=500',
  'per_page=0',
  'per_page=1&page=2',
  'sort=name',
  'status%5B%5D=active',
  'search=a+b%20c&page=1&odd=1',
]

/** A request, mostly for existing records. */
function createRequest(random: Random, tables: Tables): Asked {
  const pick = <Item>(list: readonly Item[]): Item => random.pick(list)
  const idIn = (list: any[]): string => {
    if (list.length === 0 || random.chance(0.06))
      return pick(['0', '41', '07', '+1', '1.0', 'one', '9'.repeat(20)])
    return String(pick(list).id)
  }
  const project = `/projects/${idIn(tables.projects)}`
  const name = pick(LISTS)
  const number = () => {
    const own = tables.reports.filter((report) => project.endsWith(`/${report.project}`))
    if (own.length > 0 && random.chance(0.8)) return String(pick(own).report_number)
    return pick(['1', '26', '27', '0', '01', 'x', '-1'])
  }
  const below = pick([
    () => '/me',
    () => `/${name}`,
    () => `/${name}/${idIn(tables[name as keyof Tables])}`,
    () => '/projects',
    () => '/projects',
    () => project,
    () => `${project}/reports`,
    () => `${project}/reports/latest`,
    () => `${project}/reports/last-generated`,
    () => `${project}/reports/${number()}/content`,
    () => `${project}/reports/${number()}/content`,
    () => `${project}/keywords`,
    () => pick(['/nowhere', `${project}/reports/1`, '/Projects', `${project}/x`, '']),
  ])()
  const usual = BEARERS.slice(0, 3)
  const bearer = pick([...usual, ...usual, ...usual, ...usual, ...BEARERS, 'unknown'])
  const scheme = random.chance(0.95)
    ? 'Bearer '
    : pick(['bearer  ', 'BEARER ', 'Token ', 'Bearer', ''])
  return {
    method: random.chance(0.97) ? 'GET' : pick(['HEAD', 'POST', 'DELETE', 'PUT']),
    path: `/api/v1${below}${random.chance(0.03) ? '/' : ''}`,
    query: below === '/projects' && random.chance(0.7) ? pick(QUERIES) : '',
    authorization: random.chance(0.01) ? undefined : `${scheme}${bearer}`,
    clientIp: pick(['127.0.0.1', '203.0.113.7']),
  }
}

const PER_WORLD = 1000

test(
  `${STATIC_ANSWERS} static answers are those of the specification`,
  { timeout: 3_600_000 },
  async () => {
    expect(await compareStatic()).toEqual(STATUSES_SEEN)
    await warmUp()
    expect(await compareStatic()).toEqual(STATUSES_SEEN)
  },
)

/** Compares static answers, and returns their statuses. */
async function compareStatic(): Promise<Set<number>> {
  const seen = new Set<number>()
  for (let world = 0; world * PER_WORLD < STATIC_ANSWERS; world += 1) {
    const random = createRandom('static', world)
    const tables = createTables(random)
    const sandbox = await createSandbox({ fixtures: toFixture(random, tables) })
    const now = Date.parse(NOW)
    for (let count = 0; count < PER_WORLD; count += 1) {
      const asked = createRequest(random, tables)
      const expected = answerBySpecification(asked, { now, tables, shown: tables })
      seen.add(compare(sandbox, asked, expected, `world ${world}`))
    }
  }
  return seen
}

const WARM = 20_000

/** Sends other requests to other worlds, under any policies. */
async function warmUp(): Promise<void> {
  for (let world = 0; world * PER_WORLD < WARM; world += 1) {
    const random = createRandom('warm', world)
    const tables = createTables(random)
    const drawn = POLICIES.map(({ policy, options }) => [policy, random.pick(Object.keys(options))])
    const policies = Object.fromEntries(drawn)
    const sandbox = await createSandbox({ fixtures: toFixture(random, tables), policies })
    for (let count = 0; count < PER_WORLD; count += 1)
      answer(sandbox, createRequest(random, tables))
  }
}

/** A model of a world: its records, the time, and the records that are shown while data is stale. */
interface Model {
  now: number
  tables: Tables
  isStale: boolean
  /** The minute of the last changes, and the records before them. */
  kept?: { minute: number; tables: Tables } | undefined
}

const minuteOf = (ms: number) => Math.floor(ms / 60_000)

function shownOf({ now, tables, isStale, kept }: Model): Tables {
  return isStale && kept?.minute === minuteOf(now) ? kept.tables : tables
}

/** Puts rows into a table of the model, and removes others. */
function change(model: Model, name: keyof Tables, rows: any[], gone: number[] = []): void {
  const minute = minuteOf(model.now)
  if (model.isStale && model.kept?.minute !== minute) model.kept = { minute, tables: model.tables }
  const replaced = new Set([...gone, ...rows.map(({ id }) => id)])
  const others = model.tables[name].filter(({ id }) => !replaced.has(id))
  model.tables = { ...model.tables, [name]: byId([...others, ...rows]) }
}

/** A change of one record's fields, of any kind. */
function createPatch(random: Random, name: keyof Tables, tables: Tables): Record<string, unknown> {
  const pick = <Item>(list: readonly Item[]): Item => random.pick(list)
  const user = () => (tables.users.length > 0 ? orNull(random, pick(tables.users).id) : null)
  const patches: Record<string, () => Record<string, unknown>> = {
    agencies: () => ({ name: pick(NAMES), report_cc_email: pick([null, 'cc@any.example']) }),
    countries: () => ({ applicable: random.chance(0.5) }),
    languages: () => ({ label: pick(NAMES) }),
    users: () => pick([{ agency: pick([null, 1, 2]) }, { name: pick(NAMES) }]),
    tokens: () =>
      pick([
        { agency: pick([null, 1, 2, 3]) },
        { agency: pick([1, 2]) },
        { status: pick(['active', 'disabled']) },
        { allowed_ips: pick([[], ['127.0.0.1'], ['127.0.0.1', '203.0.113.7']]) },
        { name: pick(NAMES), abilities: pick([['*'], []]) },
      ]),
    projects: () =>
      pick([
        { agency: pick([1, 2]) },
        { name: pick(NAMES), status: pick(STATUSES) },
        { domain: null, managing_user: user() },
      ]),
    keywords: () => pick([{ active: random.chance(0.5) }, { url: null }, { keyword: pick(NAMES) }]),
    reports: () =>
      pick([
        { status: pick(['pending', 'running', 'completed', 'failed']) },
        { date_to_create_texts: pick([null, ...DAYS]), created_at: pick(TIMES) },
        { level: pick(['project', 'keyword']), action_type: pick(['regular', 'extra']) },
        { approved_by: user(), sent: random.chance(0.5) },
      ]),
  }
  return patches[name]!()
}

const MOMENTS = ['2026-03-31T23:59:30Z', '2026-04-01', '2026-03-02T10:00:10Z']

const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** The fields that a step of a report sets, G-065 and G-086. */
function stepFields(step: string, report: any, { now, tables }: Model): Record<string, unknown> {
  const project = tables.projects.find(({ id }) => id === report.project)
  const colleague = tables.users.find(({ agency }) => agency === project.agency)
  const person = project.managing_user ?? colleague?.id ?? null
  const links = reportLinks(report.id)
  switch (step) {
    case 'start':
    case 'retry':
      return { status: 'running' }
    case 'fail':
      return { status: 'failed' }
    case 'approve':
      return { approved_status: 'approved', approved_by: report.approved_by ?? person }
    case 'reject':
      return { approved_status: null, approved_by: null }
    case 'manage':
      return { managed_status: 'completed', managed_by: report.managed_by ?? person }
    case 'send':
      return { sent: true, date_to_send_to_client: report.date_to_send_to_client ?? day(now) }
    default:
      return {
        status: 'completed',
        pdf_link: report.pdf_link ?? links.pdf_link,
        web_link: report.web_link ?? links.web_link,
      }
  }
}

const FROM: Record<string, string[]> = {
  start: ['pending'],
  complete: ['pending', 'running'],
  fail: ['pending', 'running'],
  retry: ['failed'],
  approve: ['completed'],
  reject: ['completed'],
  manage: ['completed'],
  send: ['completed'],
  regenerate: ['running', 'completed', 'failed'],
}

/** Takes a step of a report in both sandbox and model; the texts are those of the sandbox, for the keywords of the model. */
async function takeStep(sandbox: Sandbox, model: Model, random: Random): Promise<void> {
  const { tables } = model
  const step = random.pick(REPORT_STEP_NAMES)
  const report = random.pick(tables.reports)
  const command = { type: `report.${step}`, report: report.id, fields: {} } as Command
  const result = await applyToReport(sandbox, command)
  expect([step, report, result !== undefined]).toEqual([
    step,
    report,
    FROM[step]!.includes(report.status),
  ])
  if (!result) return
  const row = { ...report }
  if (step === 'regenerate') {
    Object.assign(row, { id: result.id, sent: false, approved_status: null, approved_by: null })
    Object.assign(row, { managed_status: null, pdf_link: null, web_link: null })
    row.created_at = new Date(model.now).toISOString().replace('Z', '000Z')
    for (const name of ['content', 'content_scheme', 'content_scheme_fields']) delete row[name]
    expect(tables.reports.map(({ id }) => id)).not.toContain(row.id)
  }
  Object.assign(row, stepFields(step, row, model))
  const isWriting = step === 'complete' || step === 'regenerate'
  const isUsual = row.content_scheme !== 'other'
  if (isWriting && isUsual) {
    const own = tables.keywords.filter(({ project, active }) => project === row.project && active)
    const stated = Object.entries<any[]>(row.content ?? {}).filter(
      ([, blocks]) => blocks.length > 0,
    )
    const content = structuredClone(result.content!)
    const covered = [...own.map(({ id }) => String(id)), ...Object.keys(row.content ?? {})]
    expect(new Set(Object.keys(content))).toEqual(new Set(covered))
    Object.assign(row, {
      content_scheme: 'h3_text_blocks',
      content: { ...content, ...Object.fromEntries(stated) },
    })
  }
  change(model, 'reports', [row], [report.id])
}

/** Applies a command; returns undefined if it is refused, because it is drawn without regard to the world. */
async function apply(sandbox: Sandbox, command: Command): Promise<unknown> {
  return sandbox.command(command).catch((error: unknown) => {
    if (!(error instanceof CommandError)) throw error
  })
}

/** Applies a transition of a report; undefined if the sandbox refuses it. */
async function applyToReport(sandbox: Sandbox, command: Command) {
  return (await apply(sandbox, command)) as RecordOf<'reports'> | undefined
}

const TABLES = [
  'agencies',
  'countries',
  'languages',
  'users',
  'projects',
  'keywords',
  'reports',
] as const

/** Changes sandbox and model alike. */
async function takeCommand(sandbox: Sandbox, model: Model, random: Random): Promise<void> {
  const { tables } = model
  const kind = random.next()
  if (kind < 0.3 && tables.reports.length > 0) return takeStep(sandbox, model, random)
  if (kind < 0.4 && tables.projects.length > 0) {
    const project = random.pick(tables.projects).id
    const row = await applyToReport(sandbox, { type: 'report.create', project, fields: {} })
    const numbers = tables.reports
      .filter((one) => one.project === project)
      .map((one) => one.report_number)
    const last = Math.max(0, ...numbers)
    expect(row?.report_number).toBe(last < 26 ? last + 1 : undefined)
    if (row) change(model, 'reports', [structuredClone(row)])
    return
  }
  if (kind < 0.5) {
    const command: Command = random.chance(0.3)
      ? {
          type: 'clock.set',
          now: random.pick([...MOMENTS, new Date(model.now).toISOString()]),
        }
      : { type: 'clock.advance', by: random.pick(['PT10S', 'PT20S', 'PT1M', 'P17D']) }
    const { now } = (await sandbox.command(command)) as { now: string }
    if (command.type === 'clock.set') model.kept = undefined
    model.now = Date.parse(now)
    return
  }
  if (kind < 0.53) {
    const isStale = random.chance(0.7)
    await sandbox.command({
      type: 'policy.set',
      policies: policiesOf(isStale),
    })
    if (!isStale || !model.isStale) model.kept = undefined
    model.isStale = isStale
    return
  }
  const collection = kind < 0.75 ? 'tokens' : random.pick(TABLES)
  const table = tables[collection]
  if (table.length === 0) return
  const record = random.pick(table)
  if (kind > 0.95) {
    if (!(await apply(sandbox, { type: 'record.delete', collection, id: record.id }))) return
    change(model, collection, [], [record.id])
    if (collection !== 'projects') return
    for (const name of ['keywords', 'reports'] as const)
      model.tables[name] = model.tables[name].filter(({ project }) => project !== record.id)
    return
  }
  const patch = createPatch(random, collection, tables)
  const applied = await apply(sandbox, { type: 'record.patch', collection, id: record.id, patch })
  if (applied) change(model, collection, [{ ...record, ...patch }])
}

const COMMANDS_PER_WORLD = 60

test(
  `${ANSWERS_AFTER_COMMANDS} answers after commands are those of the specification`,
  { timeout: 3_600_000 },
  async () => {
    const answered = { count: 0 }
    const seen = new Set<number>()
    for (let world = 0; answered.count < ANSWERS_AFTER_COMMANDS; world += 1) {
      const random = createRandom('commands', world)
      const tables = createTables(random)
      const isStale = random.chance(0.6)
      const fixtures = toFixture(random, tables)
      let sandbox = await createSandbox({ fixtures, policies: policiesOf(isStale) })
      const model: Model = { now: Date.parse(NOW), tables, isStale }
      const ask = (asked: Asked): void => {
        const { now } = model
        const shown = shownOf(model)
        const expected = answerBySpecification(asked, { now, tables: model.tables, shown })
        seen.add(compare(sandbox, asked, expected, `world ${world}`))
        answered.count += 1
      }
      for (let taken = 0; taken < COMMANDS_PER_WORLD; taken += 1) {
        await takeCommand(sandbox, model, random)
        if (random.chance(0.02)) {
          const snapshot = await sandbox.snapshot()
          sandbox = await createSandbox({ policies: policiesOf(model.isStale) })
          await sandbox.restore(snapshot)
        }
        if (random.chance(0.3)) {
          for (let count = 0; count < 8; count += 1) ask(createRequest(random, model.tables))
          continue
        }
        // The same requests again and again, by each token: a cached body could be mistaken for another.
        const [first] = tables.projects
        for (const below of ['', `/${first?.id}`, `/${first?.id}/reports`])
          for (const bearer of BEARERS.slice(0, 3)) ask(aRead(`/projects${below}`, bearer))
      }
    }
    expect(seen).toEqual(STATUSES_SEEN)
  },
)

const policiesOf = (isStale: boolean) => ({ 'data-refresh': isStale ? 'stale' : 'fresh' })

function aRead(path: string, bearer: string): Asked {
  const authorization = `Bearer ${bearer}`
  return { method: 'GET', path: `/api/v1${path}`, query: '', authorization, clientIp: '127.0.0.1' }
}
