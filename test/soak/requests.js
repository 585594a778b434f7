/**
 * Hostile requests and commands in this process. Each batch has a sandbox of its own, half of them with policies drawn at
 * random; in every third batch commands are sent in between, most of them not quite right. A request must have a response
 * as documented, and no 5xx unless a fault made it. Any other refusal must be an error of the library's own.
 */
import { setImmediate } from 'node:timers/promises'
import {
  CommandError,
  createSandbox,
  FixtureError,
  OptionError,
  replay,
  SessionError,
} from '../../build/index.js'
import { route } from '../../build/engine/router.js'
import { createRandom } from '../../build/records/random.js'
import { findBadBody, showsInternals } from './support/checks.js'
import {
  COMMANDS,
  drawAccept,
  drawAuthorization,
  drawJson,
  drawMethod,
  drawPath,
  drawPolicies,
  drawQuery,
  drawText,
  garble,
  mutate,
  WORLD,
} from './support/hostile-values.js'

export const COUNT = 1_000_000
const BATCH = 5000

export async function run({ seed, count, onlyBatch, report, fail }) {
  const tally = { answers: 0, fetches: 0, commands: 0, worlds: 0 }
  const batches = Math.ceil(count / BATCH)
  for (
    let batch = onlyBatch ?? 0;
    batch < (onlyBatch === undefined ? batches : onlyBatch + 1);
    batch += 1
  ) {
    await runBatch({
      random: createRandom(seed, 'requests', batch),
      hasPolicies: batch % 2 === 1,
      hasCommands: batch % 3 === 2,
      tally,
      fail: (text) => fail(text, batch),
    })
    report((batch + 1) * BATCH)
    await setImmediate()
  }
  const sent = Object.entries(tally).map(([kind, sum]) => `${sum.toLocaleString('en')} ${kind}`)
  return `hostile input in process (${sent.join(', ')})`
}

async function runBatch({ random, hasPolicies, hasCommands, tally, fail }) {
  const policies = hasPolicies ? drawPolicies(random) : {}
  const sandbox = await createSandbox({
    ...WORLD,
    policies,
    showGaps: random.chance(0.5),
    rateLimit: '3/min',
  })
  const batch = {
    random,
    sandbox,
    hasPolicies: hasPolicies || hasCommands,
    fail,
    checked: new WeakSet(),
  }
  for (let sent = 0; sent < BATCH; sent += 1) {
    if (hasCommands && random.chance(0.1)) {
      tally.commands += 1
      await sendCommand(batch)
    } else if (random.chance(0.005)) {
      tally.worlds += 1
      await createWorld(batch)
    } else if (!hasCommands && random.chance(0.05)) {
      tally.fetches += 1
      await fetchOnce(batch)
    } else {
      tally.answers += 1
      answerOnce(batch)
    }
  }
}

/* Requests. */

const ORIGINS = ['http://localhost', 'https://seo.example', '', 'null', 'http://[::1]:1', '\0']
const ADDRESSES = [
  '127.0.0.1',
  '::1',
  '192.0.2.7',
  '::ffff:192.0.2.7',
  '2001:db8::1',
  'fe80::1%eth0',
  '',
  'x',
  '1.2.3',
]

function answerOnce({ random, sandbox, hasPolicies, fail, checked }) {
  const authorization = drawAuthorization(random)
  const accept = drawAccept(random)
  const request = {
    method: random.chance(0.99) ? drawMethod(random) : drawText(random),
    path: drawPath(random),
    query: drawQuery(random),
    header: (name) => ({ authorization, accept })[name],
    clientIp: random.chance(0.8) ? '127.0.0.1' : random.pick(ADDRESSES),
    origin: random.chance(0.8) ? ORIGINS[0] : random.pick(ORIGINS),
  }
  const say = (what) => fail(`${JSON.stringify({ ...request, authorization, accept })}: ${what}`)
  let response
  try {
    response = sandbox.answer(request)
  } catch (error) {
    say(`threw ${error.stack}`)
    return
  }
  const { status, headers, body, problem, faults = [] } = response
  if (faults.length > 0) return
  if (status < 200 || status >= 500) say(`status ${status}`)
  if (!checked.has(headers)) {
    checked.add(headers)
    if (!areValid(headers)) say(`headers ${JSON.stringify(headers)}`)
  }
  if (checked.has(body)) return
  checked.add(body)
  const bad = findBadBody({
    status,
    type: headers['Content-Type'],
    text: Buffer.from(body).toString(),
    problem,
    operation: route(request.path)?.operation,
    hasPolicies,
  })
  if (bad) say(`status ${status}, body ${bad}`)
}

function areValid(headers) {
  return Object.entries(headers).every(
    ([name, value]) => /^[\w-]+$/.test(name) && /^[ -~]*$/.test(value),
  )
}

async function fetchOnce({ random, sandbox, fail }) {
  const method = drawMethod(random)
  const authorization = drawAuthorization(random)
  const url = `${random.pick(['', 'http://a.example', 'https://b.example:444', drawText(random)])}${drawPath(random)}?${drawQuery(random)}`
  const init = {
    method,
    headers: authorization === undefined ? {} : { authorization },
    body: drawBody(random),
  }
  const say = (what) => fail(`fetch(${JSON.stringify(url)}, ${JSON.stringify(init)}): ${what}`)
  try {
    const response = await sandbox.fetch(url, init)
    const text = await response.text()
    if (response.status >= 500 || showsInternals(text)) say(`status ${response.status}, ${text}`)
  } catch (error) {
    // An input that fetch itself refuses: a URL, a header or a body.
    if (!(error instanceof TypeError)) say(`threw ${error.stack}`)
  }
}

function drawBody(random) {
  return random.chance(0.9) ? undefined : drawText(random)
}

/* Commands, and everything else that the library takes. */

const OWN_ERRORS = [CommandError, FixtureError, OptionError, SessionError]

/** Performs a step that may be refused, but not fail in another way. */
async function attempt(name, input, work, fail) {
  try {
    await work()
  } catch (error) {
    if (OWN_ERRORS.some((kind) => error instanceof kind) && !showsInternals(error.message)) return
    fail(`${name}(${JSON.stringify(input)?.slice(0, 2000)}): threw ${error.stack}`)
  }
}

async function sendCommand({ random, sandbox, fail }) {
  const [name, input, send] = random.pick(WAYS)(random)
  await attempt(name, input, () => send(sandbox, input), fail)
  // A reset revives a world that has become useless.
  if (random.chance(0.02)) await sandbox.reset()
  if (random.chance(0.02)) {
    const snapshot = await sandbox.snapshot()
    await attempt(
      'restore',
      undefined,
      () => sandbox.restore(mutate(random, snapshot, 0.002)),
      fail,
    )
    const session = await sandbox.session().catch(() => undefined)
    await attempt(
      'replay',
      undefined,
      () => session && replay(mutate(random, session, 0.002)),
      fail,
    )
  }
}

const command = (random) => [
  'command',
  mutate(random, random.pick(COMMANDS)),
  (sandbox, input) => sandbox.command(input),
]

const WAYS = [
  ...Array(12).fill(command),
  (random) => ['clock.set', drawJson(random), (sandbox, input) => sandbox.clock.set(input)],
  (random) => ['clock.advance', drawJson(random), (sandbox, input) => sandbox.clock.advance(input)],
  (random) => [
    'explain',
    random.pick([101, 1, -1, 'x', null]),
    async (sandbox, id) => sandbox.explain(id),
  ],
  (random) => ['faults.set', [drawJson(random)], (sandbox, input) => sandbox.faults.set(input)],
  (random) => [
    'reports.set',
    [mutate(random, { project: 101, report_number: 1 }), drawJson(random)],
    (sandbox, [report, fields]) => sandbox.reports.set(report ?? {}, fields),
  ],
  (random) => [
    'requests.verify',
    mutate(random, {
      requests: { route: 'GET /me', status: '4xx', query: { page: '1' } },
      times: { min: 1 },
    }),
    async (sandbox, input) => sandbox.requests.verify(input),
  ],
  (random) => [
    'requests.matching',
    mutate(random, { path: '/me', token: 1, min_body_bytes: 3, gap: 'G-035', from: 'now-1d' }),
    async (sandbox, input) => sandbox.requests.matching(input),
  ],
]

async function createWorld({ random, sandbox, fail }) {
  const options = mutate(
    random,
    { ...WORLD, policies: drawPolicies(random), rateLimit: '5/min', latency: '1-2' },
    0.05,
  )
  const fixtures = random.chance(0.5)
    ? mutate(random, WORLD.fixtures, 0.03)
    : garble(random, drawFixtureText(random))
  const input = isMap(options) && random.chance(0.7) ? { ...options, fixtures } : options
  const create = random.chance(0.5) ? createSandbox : (given) => sandbox.worlds.create(given)
  await attempt('createSandbox', input, () => create(input ?? undefined), fail)
}

function isMap(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const YAML = `version: 1
agencies: [{ id: 1, name: &name "First" }]
tokens:
  - { id: 1, name: *name, token: abc, agency: 1, rate_limit: { per_minute: 60 } }
projects:
  - id: 1
    agency: 1
    name: |
      A text
    status: active
    created_at: now-3d
    keywords: &k
      - ? id
        : 1
        keyword: fish
        create_date: 2026-01-01
`

function drawFixtureText(random) {
  return random.chance(0.5) ? YAML : JSON.stringify(WORLD.fixtures, null, random.integer(0, 2))
}
