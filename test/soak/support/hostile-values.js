import { POLICIES } from '../../../build/contract/gaps.js'
import { OPERATIONS } from '../../../build/contract/operations.js'

/** Parts of hostile requests. Everything is drawn from a `random` of `createRandom`. */

/** Texts that parsers, regular expressions, routers and objects have had trouble with. */
const SCRAPS = [
  '% %0 %00 %zz %ff%fe %ED%A0%80 %2e%2e%2f %2F %3F %23 %25 %0d%0a',
  '. .. ../.. / // \\ ? ?? # & && = == ; + , : @',
  '<script> \'OR(1=1)-- ${7*7} {{7*7}} %s%n $(id) ` " | ^ (a+)+$ [ ](',
  '__proto__ constructor prototype toString hasOwnProperty then length toJSON',
  'null undefined NaN Infinity true [] {} [object * now month+0/31 latest last-generated content',
  '0 -0 1 -1 00 007 1.5 1e3 1e999 0x10 +5 5abc ٣ １ 2147483648 9007199254740993 99999999999999999999',
  '😀 é e\u0301 \0 \r\n \t \u2028 \uFEFF \uD800 \uDC00a',
]
  .flatMap((line) => line.split(' '))
  .concat('', ' ')
const LONG_SCRAPS = [
  () => 'a'.repeat(5000),
  () => '9'.repeat(2000),
  () => '%41'.repeat(1000),
  () => '/'.repeat(500),
  () => '&a=1'.repeat(1000),
  () => '['.repeat(1000),
  () => '😀'.repeat(500),
]

/** Numbers for places that expect one; none of them makes a large world. */
const NUMBERS = [
  0,
  -0,
  1,
  2,
  3,
  26,
  27,
  -1,
  1.5,
  0.1,
  101,
  2 ** 31,
  2 ** 53,
  -(2 ** 53) - 2,
  1e21,
  1e300,
]

/** Any text: scraps, some other characters, and now and then a long one. */
export function drawText(random) {
  if (random.chance(0.02)) return random.pick(LONG_SCRAPS)()
  const count = random.integer(1, 3)
  return Array.from({ length: count }, () =>
    random.chance(0.8) ? random.pick(SCRAPS) : String.fromCodePoint(random.integer(0, 0xd7ff)),
  ).join('')
}

/** Bearer values of the attacked world: super-admin, of an agency, disabled, and from elsewhere. */
export const TOKENS = ['super', 'first', 'disabled', 'elsewhere', 'limited']

/** A world with a token of each kind, and projects of both sources. */
export const WORLD = {
  fixtures: {
    version: 1,
    agencies: [
      { id: 1, name: 'First', report_cc_email: 'cc@first.example' },
      { id: 2, name: 'Second' },
    ],
    countries: [
      { id: 1, label: 'Denmark' },
      { id: 2, label: 'Nowhere', applicable: false },
    ],
    languages: [{ id: 1, label: 'Danish' }],
    users: [{ id: 1, name: 'Ada', agency: 1 }],
    tokens: [
      { id: 1, name: 'super', token: 'super', rate_limit: 'unlimited' },
      { id: 2, name: 'first', token: 'first', agency: 1, rate_limit: 'unlimited' },
      { id: 3, name: 'disabled', token: 'disabled', status: 'disabled' },
      {
        id: 4,
        name: 'elsewhere',
        token: 'elsewhere',
        allowed_ips: ['192.0.2.0/24', '2001:db8::/32'],
      },
      { id: 5, name: 'limited', token: 'limited', agency: 1, abilities: ['projects'] },
    ],
    projects: [
      {
        id: 101,
        agency: 1,
        name: 'Blåbær & <Co>',
        status: 'active',
        created_at: '2026-01-15T09:00:00Z',
        country: 1,
        managing_user: 1,
        keywords: [{ id: 1, keyword: 'fish', create_date: '2026-01-16' }],
        reports: [
          {
            id: 1,
            report_number: 1,
            status: 'completed',
            created_at: '2026-02-01T00:00:00Z',
            date_to_create_texts: '2026-03-05',
            content: { 1: [{ h3: 'Fish', text: 'Fresh & <good>' }] },
          },
          { id: 2, report_number: 2, status: 'pending', created_at: '2026-03-01T00:00:00Z' },
        ],
      },
      { id: 102, agency: 2, name: '100% _', status: 'paused', created_at: '2026-01-15T09:00:00Z' },
    ],
  },
  generate: { projects: 6 },
  now: '2026-03-02T09:00:00Z',
  frozen: true,
}

const IDS = ['1', '2', '101', '102', '1001', '1002', '1006', '26', '27', 'x']
const LITERALS = [
  ...new Set(
    Object.values(OPERATIONS).flatMap(({ path }) =>
      path.split('/').filter((part) => /^[a-z]/.test(part)),
    ),
  ),
]
const PATHS = Object.values(OPERATIONS).map(({ path }) => path)

/** A path: mostly one of the API with odd parameters, changed somewhere now and then. */
export function drawPath(random) {
  const known = random.chance(0.8)
    ? random.pick(PATHS).replaceAll(/\{\w+\}/g, () => drawSegment(random))
    : `/${Array.from({ length: random.integer(0, 5) }, () => drawSegment(random)).join('/')}`
  const path = `${random.chance(0.9) ? '/api/v1' : random.pick(['', '/api', '/api/v2', '/API/V1', '//api/v1'])}${known}`
  if (random.chance(0.85)) return path
  const at = random.integer(0, path.length)
  return `${path.slice(0, at)}${drawText(random)}${path.slice(at)}`
}

function drawSegment(random) {
  if (random.chance(0.6)) return random.pick(IDS)
  return random.chance(0.5) ? random.pick(LITERALS) : drawText(random)
}

const PARAMETERS = [
  'status',
  'search',
  'agency_id',
  'page',
  'per_page',
  'status[]',
  'token',
  'world',
]
const VALUES = ['', '1', '2', '3', '100', '101', '-1', 'active', 'paused', 'Blå', '%', '_', 'fish']

/** A query: known and unknown names with odd values, not always well-formed. */
export function drawQuery(random) {
  if (random.chance(0.3)) return ''
  const pairs = Array.from({ length: random.integer(1, 5) }, () => {
    const name = random.chance(0.85) ? random.pick(PARAMETERS) : drawText(random)
    const value = random.chance(0.6) ? random.pick(VALUES) : drawText(random)
    return random.chance(0.95) ? `${name}=${value}` : name
  })
  return pairs.join(random.chance(0.97) ? '&' : random.pick(['&&', ';', '?', '&=&']))
}

/** An Authorization header: mostly a known one; undefined for none. */
export function drawAuthorization(random) {
  if (random.chance(0.75)) return `Bearer ${random.pick(TOKENS)}`
  if (random.chance(0.2)) return undefined
  const scheme = random.pick(['Bearer', 'bearer', 'BEARER', 'Basic', 'Token', '', 'Bearer Bearer'])
  const space = random.pick([' ', '', '  ', '\t', ', '])
  return `${scheme}${space}${random.chance(0.5) ? random.pick(TOKENS) : drawText(random)}`
}

/** Methods that Node's parser knows, most often GET. */
export function drawMethod(random) {
  if (random.chance(0.8)) return 'GET'
  return random.pick([
    'HEAD',
    'HEAD',
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'OPTIONS',
    'TRACE',
    'PROPFIND',
    'PURGE',
  ])
}

export function drawAccept(random) {
  if (random.chance(0.1)) return undefined
  return random.pick(['application/json', '*/*', 'text/html', '', 'a/b;q=x,,', '+json'])
}

/** A setting for one policy in three, so that all combinations come up. */
export function drawPolicies(random) {
  const drawn = POLICIES.filter(() => random.chance(1 / 3)).map(({ policy, options }) => [
    policy,
    random.pick(Object.keys(options)),
  ])
  return Object.fromEntries(drawn)
}

/** Any JSON value. */
export function drawJson(random, depth = 4) {
  const kind = random.integer(0, depth > 0 ? 6 : 4)
  if (kind === 0) return drawText(random)
  if (kind === 1) return random.pick(NUMBERS)
  if (kind === 2) return random.pick([true, false, null])
  if (kind === 3) return random.pick(IDS)
  if (kind === 4)
    return random.pick(['now', 'P1D', '2026-03-01', 'active', 'projects', '2026-02-30T00:00:00Z'])
  const parts = Array.from({ length: random.integer(0, 3) }, () => drawJson(random, depth - 1))
  if (kind === 5) return parts
  return Object.fromEntries(parts.map((part) => [drawKey(random), part]))
}

function drawKey(random) {
  return random.chance(0.5)
    ? random.pick(['id', 'type', 'status', 'name', '__proto__', 'version'])
    : drawText(random)
}

/** A JSON value with some of its parts replaced, removed, repeated, renamed or nested. */
export function mutate(random, value, share = 0.15) {
  if (random.chance(share / 2))
    return random.chance(0.8) ? drawJson(random) : nest(value, random.integer(1, 70))
  if (Array.isArray(value)) {
    const items = value
      .filter(() => !random.chance(share / 3))
      .map((item) => mutate(random, item, share))
    return items.length > 0 && random.chance(share) ? [...items, items[0]] : items
  }
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
    .filter(() => !random.chance(share / 4))
    .map(([key, item]) => [
      random.chance(share / 8) ? drawKey(random) : key,
      mutate(random, item, share),
    ])
  if (random.chance(share / 2)) entries.push([drawKey(random), drawJson(random)])
  return Object.fromEntries(entries)
}

function nest(value, levels) {
  let nested = value
  for (let level = 0; level < levels; level += 1)
    nested = level % 2 === 0 ? [nested] : { a: nested }
  return nested
}

/** A text with a few of its characters replaced, removed or repeated. */
export function garble(random, text) {
  let garbled = text
  for (let count = random.integer(1, 4); count > 0; count -= 1) {
    const at = random.integer(0, garbled.length)
    const until = at + (random.chance(0.5) ? 0 : random.integer(1, 20))
    garbled = `${garbled.slice(0, at)}${drawText(random)}${garbled.slice(until)}`
  }
  return random.chance(0.1) ? garbled.slice(0, random.integer(0, garbled.length)) : garbled
}

/** Faults of every kind; none of them makes a client wait for long. */
const FAULTS = [
  { kind: 'status', status: 503, retry_after: 7, endpoint: 'GET /projects' },
  { kind: 'status', status: 429, token: 'first', schedule: { every: 3 } },
  { kind: 'html', status: 502, schedule: { share: 0.2 } },
  { kind: 'malformed-json', endpoint: 'GET /projects/{project}/reports' },
  { kind: 'truncated-body', project: 101 },
  { kind: 'reset', schedule: { first: 5 } },
  { kind: 'latency', ms: 1, schedule: { from: 'now', until: 'now+1d' } },
  { kind: 'slow-body', ms: 1 },
]

/** A valid command of each type, for {@link mutate}. */
export const COMMANDS = [
  { type: 'reset' },
  { type: 'clock.set', now: '2026-03-15T12:00:00Z' },
  { type: 'clock.advance', by: 'P1DT2H' },
  { type: 'clock.freeze', frozen: true },
  {
    type: 'record.put',
    collection: 'countries',
    record: { id: 7, label: 'Norway', applicable: true },
  },
  { type: 'record.put', collection: 'agencies', record: { id: 3, name: 'Third' } },
  {
    type: 'record.put',
    collection: 'reports',
    record: { id: 9, project: 101, report_number: 9, status: 'failed', created_at: 'now-3d' },
  },
  {
    type: 'record.put',
    collection: 'projects',
    record: { id: 103, agency: 1, name: 'New', status: 'active', created_at: '2026-01-01' },
  },
  {
    type: 'record.put',
    collection: 'tokens',
    record: {
      id: 9,
      name: 'new',
      token: 'new',
      agency: 1,
      allowed_ips: ['10.0.0.0/8'],
      abilities: ['*'],
    },
  },
  {
    type: 'record.patch',
    collection: 'reports',
    id: 1,
    patch: {
      status: 'completed',
      content_scheme: 'faq',
      content: { 1: { content: ['a'], html: ['b'] } },
    },
  },
  {
    type: 'record.patch',
    collection: 'projects',
    id: 1001,
    patch: { name: 'Patched', status: 'paused' },
  },
  { type: 'record.delete', collection: 'keywords', id: 1 },
  { type: 'policy.set', policies: { 'disabled-token': '403', 'G-035': '1' } },
  ...FAULTS.map((fault) => ({ type: 'fault.add', fault })),
  { type: 'fault.set', faults: FAULTS },
  { type: 'fault.remove', id: 1 },
  { type: 'rate.clear' },
  { type: 'journal.clear' },
  { type: 'scenario.load', scenario: 'all-null' },
  { type: 'fixtures.load', fixtures: WORLD.fixtures },
]
