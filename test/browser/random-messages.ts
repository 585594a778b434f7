import fc from 'fast-check'
import { POLICIES } from '../../src/contract/gaps.ts'
import { REPORT_STEP_NAMES } from '../../src/contract/report-facts.ts'
import { SCENARIOS } from '../../src/fixtures/scenarios/index.ts'
import type { RecordOf } from '../../src/contract/records.ts'
import type { Command, Sandbox } from '../../src/index.ts'
import type { Random } from '../../src/records/random.ts'
import { PAGES_PREFIX } from '../../src/report-pages/page-links.ts'
import { anything, UNKNOWN_VALUE } from '../world/random-steps.ts'
import type { RandomStep } from '../world/random-steps.ts'

/** A request to a server, with a target below the root of the site. */
export interface Message {
  target: string
  method: string
  headers: Record<string, string>
  body?: string
}

type Records = Sandbox['world']['records']

/** Random messages that fit the sandbox at the time of their creation. */
export interface MessageSource {
  /** Creates a request to the API, in most cases for an existing resource. */
  request: () => Message
  /** Creates a read of the control API whose response does not depend on a clock of the machine. */
  read: () => Message
  /** Creates a command of any type for the control API; a fifth of them are spoiled. */
  command: () => Message
}

/** @param pageOf Returns the path of a report's web page. */
export function createMessages(
  random: Random,
  sandbox: Sandbox,
  pageOf: (report: number) => string,
): MessageSource {
  const pick = <Item>(items: readonly Item[]): Item => random.pick(items)
  const seed = random.integer(0, 2 ** 31 - 1)
  const steps = fc.sample(anything, { numRuns: STEPS, seed })
  const ofKind = <Kind extends PropertyKey>(kind: Kind) =>
    steps.filter((step): step is Extract<RandomStep, Record<Kind, unknown>> => kind in step)
  const requests = ofKind('request')
  const commands = [
    ...ofKind('command').map(({ command }) => quick(command)),
    ...ofKind('clock').flatMap(({ clock }) => clock),
  ]
  return {
    request: () => {
      if (random.chance(0.85) || requests.length === 0)
        return aRequest(random, sandbox.world.records)
      const { method, path, query, authorization, accept = '*/*' } = pick(requests).request
      const headers = { accept, ...(authorization !== undefined && { authorization }) }
      return { target: toTarget(path, query), method, headers }
    },
    read: () => {
      const target = aRead(random, sandbox.world.records, pageOf)
      // Only GET for pages: a service worker cannot tell which tab refuses a HEAD, because no body marks the refusal.
      const methods = target.startsWith(PAGES_PREFIX) ? ['GET'] : ['GET', 'GET', 'GET', 'HEAD']
      return { target, method: pick(methods), headers: JSON_HEADERS }
    },
    command: () => {
      const isOwn = random.chance(0.5) || commands.length === 0
      const command = isOwn ? aCommand(random, sandbox.world.records) : pick(commands)
      return toMessage(random, command)
    },
  }
}

const STEPS = 60
const JSON_HEADERS = { accept: 'application/json' }

function toTarget(path: string, query: string): string {
  return query === '' ? path : `${path}?${query}`
}

/** Shortens the delays of a fault, which do not affect the answer. */
function quick(command: Command): Command {
  const text = JSON.stringify(command, (name, value: unknown) =>
    name === 'max_ms' || (name === 'ms' && typeof value === 'number') ? 2 : value,
  )
  return JSON.parse(text) as Command
}

const QUERIES = [
  'status=active',
  'status=Active&per_page=2',
  'status=none&status=paused',
  'status%5B%5D=active',
  'search=an',
  'search=AN&page=2&per_page=1',
  'search=%25',
  'search=_a',
  'search=%C3%86R%C3%98',
  'search=.example&status=active&agency_id=',
  'search=a+b%20c&page=1&odd=%E2%9C%93',
  'search=%FF',
  'agency_id=1',
  'agency_id=2&per_page=1&page=2',
  'agency_id=one',
  'page=0',
  'page=-1&per_page=3',
  'page=3&per_page=2',
  'page=99',
  'page=x&per_page=y',
  'per_page=500',
  'per_page=0',
  'sort=name',
]

const METHODS = ['HEAD', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PURGE']
const ACCEPTS = ['application/json', '*/*', 'text/html', 'text/html,application/json;q=0.9']
const NO_IDS = ['0', '-1', '07', '1.0', 'one', '999999', '9'.repeat(20), '%31', 'a%2Fb']

function aRequest(random: Random, records: Records): Message {
  const pick = <Item>(items: readonly Item[]): Item => random.pick(items)
  const idIn = (list: readonly { id: number }[]): string =>
    list.length === 0 || random.chance(0.06) ? pick(NO_IDS) : String(pick(list).id)
  const project = `/projects/${idIn(records.all('projects'))}`
  const report = (): string => {
    const own = records.all('reports').filter((one) => project.endsWith(`/${one.project}`))
    return own.length > 0 && random.chance(0.8) ? String(pick(own).report_number) : pick(NO_IDS)
  }
  const list = pick(['countries', 'languages', 'users'] as const)
  const path = pick([
    () => '/me',
    () => `/${list}`,
    () => `/${list}/${idIn(records.all(list))}`,
    () => '/projects',
    () => '/projects',
    () => project,
    () => project,
    () => `${project}/reports`,
    () => `${project}/reports/latest`,
    () => `${project}/reports/last-generated`,
    () => `${project}/reports/${report()}`,
    () => `${project}/reports/${report()}/content`,
    () => `${project}/keywords`,
    () =>
      pick([
        '/nowhere',
        '/Projects',
        `${project}/x`,
        '',
        '//projects',
        '/projects/./1',
        '/%E2%9C%93',
      ]),
  ])()
  const isPaged = /^\/(?:projects|countries|languages|users)$|\/reports$|\/keywords$/.test(path)
  const query = random.chance(isPaged ? 0.6 : 0.1) ? pick(QUERIES) : ''
  const method = random.chance(0.9) ? 'GET' : pick(METHODS)
  const headers: Record<string, string> = { accept: pick(ACCEPTS) }
  if (random.chance(0.97)) headers['authorization'] = aBearer(random, records)
  if (random.chance(0.1)) headers['if-none-match'] = pick(['*', '"abc"', 'W/"1"'])
  if (random.chance(0.1)) headers['if-modified-since'] = 'Sun, 15 Mar 2026 12:00:00 GMT'
  if (random.chance(0.05)) headers['range'] = 'bytes=0-9'
  if (random.chance(0.1)) headers['x-request-id'] = 'Fish & chips'
  const slash = random.chance(0.03) ? '/' : ''
  const hasBody = !/^(?:GET|HEAD)$/.test(method) && random.chance(0.5)
  return {
    target: toTarget(`/api/v1${path}${slash}`, query),
    method,
    headers,
    ...(hasBody && { body: pick(['', '{}', 'Fish & Søn']) }),
  }
}

function aBearer(random: Random, records: Records): string {
  const tokens = records.all('tokens')
  // Limited tokens soon reach their limits.
  const unlimited = tokens.filter(({ rate_limit: limit }) => limit === 'unlimited')
  const from = unlimited.length > 0 && random.chance(0.7) ? unlimited : tokens
  const isKnown = from.length > 0 && random.chance(0.95)
  const value = isKnown ? random.pick(from).token : UNKNOWN_VALUE
  return `${random.chance(0.97) ? 'Bearer ' : random.pick(['bearer  ', 'BEARER ', 'Token ', ''])}${value}`
}

function aRead(random: Random, records: Records, pageOf: (report: number) => string): string {
  const pick = <Item>(items: readonly Item[]): Item => random.pick(items)
  const idIn = (list: readonly { id: number }[]): string =>
    list.length === 0 || random.chance(0.06) ? pick(NO_IDS) : String(pick(list).id)
  const project = (): string => idIn(records.all('projects'))
  const reports = records.all('reports')
  const page = (): string => {
    const path = pageOf(reports.length > 0 ? pick(reports).id : 1)
    return pick([path, path, `${path}.pdf`, `${path}.txt`, path.slice(0, -1)])
  }
  const control = [
    () => '/clock',
    () => '/rate-limits',
    () => '/origin',
    () => '/policies',
    () => '/faults',
    () => '/faults/kinds',
    () => '/scenarios',
    () => '/showcase',
    () => '/demo',
    () => '/review',
    () => '/snapshots',
    () => '/openapi.json',
    () => '/nowhere',
    () => `/records/${pick(['projects', 'reports', 'keywords', 'tokens', 'users', 'nothing'])}`,
    () => `/records/projects/${project()}`,
    () => `/records/reports/${idIn(reports)}/state`,
    () => `/explain/projects/${project()}`,
    () => `/projects/${project()}/positions`,
    () => `/agencies/${idIn(records.all('agencies'))}/overview`,
    () => `/reports/${idIn(reports)}/links`,
    () => `/reports/${idIn(reports)}/links`,
  ]
  return random.chance(0.1) ? page() : `/_sandbox${pick(control)()}`
}

/** Creates a command for existing records, of a type that the random steps lack or that seldom has an effect there. */
function aCommand(random: Random, records: Records): object {
  const pick = <Item>(items: readonly Item[]): Item => random.pick(items)
  const collection = pick([
    'projects',
    'reports',
    'keywords',
    'users',
    'tokens',
    'countries',
  ] as const)
  const list: readonly RecordOf<typeof collection>[] = records.all(collection)
  const record = list.length > 0 ? pick(list) : { id: 1 }
  const report = records.all('reports').length > 0 ? pick(records.all('reports')).id : 1
  const project = records.all('projects').length > 0 ? pick(records.all('projects')).id : 1
  const policy = pick(POLICIES)
  return pick([
    () => ({ type: 'clock.set', now: pick(MOMENTS) }),
    () => ({ type: 'clock.advance', by: pick(['PT10S', 'PT61S', 'PT1H', 'P1D', 'P17D', 'P1M']) }),
    () => ({ type: 'record.patch', collection, id: record.id, patch: pick(PATCHES[collection]) }),
    () => ({ type: 'record.put', collection, record: { ...record, ...pick(PATCHES[collection]) } }),
    () => ({ type: 'record.delete', collection, id: record.id }),
    () => ({ type: `report.${pick(REPORT_STEP_NAMES)}`, report }),
    () => ({ type: `report.${pick(REPORT_STEP_NAMES)}`, report }),
    () => ({ type: 'report.create', project }),
    () => ({
      type: 'policy.set',
      policies: { [policy.policy]: pick(Object.keys(policy.options)) },
    }),
    () => ({ type: 'fault.set', faults: [] }),
    () => ({ type: 'rate.clear' }),
    () => ({ type: 'scenario.load', scenario: pick(Object.keys(SCENARIOS)) }),
    () => ({ type: 'fixtures.load', fixtures: pick(TEXTS) }),
    () => ({ type: 'reset' }),
    () => ({ type: 'reset' }),
  ])()
}

const MOMENTS = [
  '2026-03-15T12:00:30Z',
  '2026-02-28T23:59:59.999999Z',
  '2026-03-29T01:00:00Z',
  '2026-10-25T00:59:59Z',
  'now+1h',
  'month+0/01',
  'month-1/31',
]

const PATCHES: Record<
  'projects' | 'reports' | 'keywords' | 'users' | 'tokens' | 'countries',
  object[]
> = {
  projects: [
    { name: 'Ærø & Søn' },
    { status: 'paused' },
    { agency: 2 },
    { domain: null },
    { id: 77 },
  ],
  reports: [
    { status: 'completed' },
    { report_number: 3 },
    { sent: true },
    { content_scheme: null },
  ],
  keywords: [{ keyword: 'fish & chips' }, { active: false }, { latest_position: 3 }, { id: 78 }],
  users: [{ name: 'Åse' }, { agency: null }, { id: 79 }],
  tokens: [{ status: 'disabled' }, { abilities: [] }, { allowed_ips: [] }, { agency: null }],
  countries: [{ label: 'Ærø' }, { applicable: false }, { id: 80 }],
}

const TEXTS = [
  'version: 1\nagencies:\n  - { id: 1, name: Nørd }\ntokens:\n  - { id: 1, name: One, token: one, agency: 1, rate_limit: unlimited }\ngenerate: { projects: 4, keywords: 3, locale: da }\n',
  'version: 1\nprojects:\n  - { id: 1, status: "done" }\n',
  'version: 1\n\tagencies: [',
  '{"version":1,"nonsense":true}',
]

function toMessage(random: Random, command: object): Message {
  const headers: Record<string, string> = { ...JSON_HEADERS, 'content-type': 'application/json' }
  const message = { target: '/_sandbox/commands', method: 'POST', headers }
  const text = JSON.stringify(command)
  if (random.chance(0.8)) return { ...message, body: text }
  const names = Object.keys(command)
  const field = random.pick(names)
  return random.pick<() => Message>([
    () => ({ ...message, body: JSON.stringify({ ...command, [field]: undefined }) }),
    () => ({ ...message, body: JSON.stringify({ ...command, [field]: random.pick(WRONG) }) }),
    () => ({ ...message, body: JSON.stringify({ ...command, odd: 1 }) }),
    () => ({ ...message, body: text.slice(0, random.integer(1, text.length - 1)) }),
    () => ({ ...message, body: JSON.stringify([command]) }),
    () => message,
    () => ({ ...message, body: text, headers: { ...JSON_HEADERS, 'content-type': 'text/plain' } }),
    () => ({ ...message, body: text, method: random.pick(['PUT', 'DELETE']) }),
    () => ({ ...message, body: text, target: `${message.target}?odd=1` }),
  ])()
}

const WRONG = [null, true, -1, 1e21, '', 'Fish & Søn', [], {}, { id: 1 }, '\u0000', '💥']
