import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { anonymise } from '../compare/anonymise.ts'
import { Asker } from '../compare/ask.ts'
import type { AskingClock, Rate } from '../compare/ask.ts'
import { runComparison } from '../compare/comparison.ts'
import type { Comparison } from '../compare/comparison.ts'
import { findContradictions, toLock } from '../compare/lock.ts'
import type { LockOutcome } from '../compare/lock.ts'
import { toPlan } from '../compare/plan.ts'
import { Answers } from '../compare/question.ts'
import { COMPARISON_FORMATS, toText } from '../compare/comparison-report.ts'
import type { ComparisonReport } from '../compare/comparison-report.ts'
import { formatReadFixture } from '../compare/read-fixture.ts'
import { loadKey, openResumeFile } from '../compare/resume.ts'
import { createSend } from '../compare/send.ts'
import { isLocalHost } from '../contract/addresses.ts'
import { DEFAULT_RATE_LIMITS } from '../contract/limits.ts'
import type { RateLimits } from '../contract/limits.ts'
import type { Reader, ValueOf } from '../contract/read-fields.ts'
import { toShownJson, withoutControls } from '../contract/text.ts'
import { API_PREFIX } from '../contract/url.ts'
import { loadFixtures } from '../fixtures/load-fixtures.ts'
import { formatPolicyLock, parsePolicyLock } from '../fixtures/policy-lock.ts'
import type { PolicyLock } from '../fixtures/policy-lock.ts'
import { atFile } from '../server/file-errors.ts'
import { followLinks, replaceFile } from '../server/replace-file.ts'
import { OptionError } from '../world/options/option-error.ts'
import { parseFlag } from '../world/options/parse-option.ts'
import { DefaultRateLimitOption } from '../world/options/validators.ts'
import type { Flags } from './cli-command.ts'
import { createProgress } from './command-progress.ts'
import { toReportFile } from './command-options.ts'
import { COMPARE_OPTIONS, COMPARISON_FORMAT_NAMES } from './compare-options.ts'
import { printJson, sayDuration } from './print.ts'
import { createFolder, prepareReports } from './write-reports.ts'

const FINISHED = 0
const FAILED = 1
const INTERRUPTED = 130

/**
 * `seo-sandbox compare`: compares the real service with a sandbox, and returns the exit code.
 *
 * @throws OptionError and FixtureError for invalid options and files.
 */
export async function compareService(flags: Flags): Promise<number> {
  const options = readOptions(flags)
  const { contents, rate, share } = options
  if (options.plan) {
    printJson(toPlan(contents, rate, share), 2)
    return FINISHED
  }
  await prepare(options)
  const interruption = new AbortController()
  const interrupt = () => interruption.abort()
  process.once('SIGINT', interrupt)
  try {
    const { report, notes } = await run(options, interruption.signal)
    process.stdout.write(options.json ? `${toShownJson(report)}\n` : toText(report, notes))
    for (const { format, path } of options.reports) {
      await atFile(`--report ${path}`, 'written', async () => {
        await createFolder(dirname(path))
        await writeFile(path, COMPARISON_FORMATS[format](report, notes))
      })
    }
    if (options.json) for (const note of notes) process.stderr.write(`${note}\n`)
    if (interruption.signal.aborted) return INTERRUPTED
    const isWithoutFixture = options.out !== undefined && report.written === undefined
    const isContradicted = report.lock?.result === 'contradicted'
    return report.result === 'stopped' || isWithoutFixture || isContradicted ? FAILED : FINISHED
  } finally {
    process.off('SIGINT', interrupt)
  }
}

type Options = ReturnType<typeof readOptions>

type ReadOptions = Omit<typeof COMPARE_OPTIONS, 'rate'>

function readOptions(flags: Flags) {
  const read = <Name extends keyof ReadOptions>(name: Name) =>
    parseFlag(COMPARE_OPTIONS[name].read as Reader<ValueOf<ReadOptions[Name]['read']>>, flags, name)
  const [out, fixtures, lock, plan = false] = [
    read('out'),
    read('fixtures'),
    read('lock'),
    read('plan'),
  ]
  if (out !== undefined && fixtures !== undefined) {
    throw new OptionError('--out: A fixture is not read with --fixtures. Leave out one of them.')
  }
  if (out !== undefined && /\.json$/i.test(out)) {
    throw new OptionError('--out: The file is YAML. Name one that ends in .yaml.')
  }
  if (read('update-lock') && lock === undefined) {
    throw new OptionError('--update-lock: Name the file with --lock policies.lock.yaml.')
  }
  const of = COMPARE_OPTIONS
  return {
    url: toServiceUrl(read('url')),
    token: plan ? '' : readToken(read('token-env') ?? of['token-env'].default),
    fixtures,
    out,
    lock,
    resume: read('resume'),
    plan,
    updatesLock: read('update-lock') ?? false,
    isRaw: read('raw') ?? false,
    contents: read('content') ?? of.content.default,
    share: read('share') ?? of.share.default,
    rate: toRate(parseFlag(DefaultRateLimitOption, flags, 'rate') ?? DEFAULT_RATE_LIMITS),
    ca: read('ca'),
    json: read('json') ?? false,
    reports: (read('report') ?? []).flatMap(
      (text) => toReportFile(text, COMPARISON_FORMAT_NAMES) ?? [],
    ),
  }
}

function toRate({ per_minute, per_hour }: RateLimits): Rate {
  const figure = (limit: RateLimits['per_hour']) => (typeof limit === 'number' ? limit : Infinity)
  return { perMinute: figure(per_minute), perHour: figure(per_hour) }
}

function toServiceUrl(text: string | undefined): URL {
  if (text === undefined)
    throw new OptionError('--url: Name the service, like --url https://seo.example.com.')
  const url = new URL(text)
  if (url.protocol === 'http:' && !isLocalHost(url.host)) {
    throw new OptionError(
      '--url: The token is sent over https: alone, except to this machine. Use an https: URL.',
    )
  }
  url.pathname = url.pathname.replace(new RegExp(`${API_PREFIX}$`), '')
  return url
}

function readToken(variable: string): string {
  const token = process.env[variable]
  if (token === undefined || token === '') {
    throw new OptionError(
      `--token-env: There is no token in the variable ${variable}. Set it, or name another.`,
    )
  }
  if (/^[!-~]+$/.test(token)) return token
  throw new OptionError(
    `--token-env: The variable ${variable} has characters that no token has. Set it to the token alone.`,
  )
}

/**
 * Checks, before any request is sent, that reports can be written, that the folders of other files exist, and that a
 * lock to compare with is valid.
 *
 * @throws OptionError, and FixtureError for an invalid lock.
 */
async function prepare(options: Options): Promise<void> {
  const { out, lock, resume, fixtures, reports, updatesLock } = options
  await prepareReports(reports, fixtures)
  for (const [name, path] of Object.entries({ out, lock, resume })) {
    if (path === undefined || existsSync(dirname(resolve(path)))) continue
    throw new OptionError(
      `--${name} ${withoutControls(path)}: Its folder does not exist. Create it.`,
    )
  }
  if (lock !== undefined && !updatesLock && existsSync(lock)) await readLock(lock)
}

/**
 * Sends the requests, compares the answers, and writes the fixture and the lock. `notes` explain an early stop or a missing
 * fixture, in sentences.
 */
async function run(
  options: Options,
  signal: AbortSignal,
): Promise<{ report: ComparisonReport; notes: string[] }> {
  const { url, fixtures, contents, resume } = options
  const loaded = fixtures === undefined ? undefined : await loadFixtures(fixtures)
  const resumed =
    resume === undefined ? undefined : await openResumeFile(resume, `${url.href} ${contents}`)
  const answers = new Answers(resumed?.answers)
  const ca = options.ca
  const pem = ca && (await atFile(`--ca ${ca}`, 'read', () => readFile(ca, 'utf8')))
  const { send, close } = createSend({ baseUrl: url, token: options.token, ca: pem })
  signal.addEventListener('abort', close)
  const asker = new Asker({
    send,
    clock: CLOCK,
    rate: options.rate,
    share: options.share,
    signal,
    sent: resumed?.sent ?? [],
    onSend: async (sentMs) => resumed?.append({ sentMs }),
  })
  const progress = createProgress()
  const compared = await runComparison({
    asker,
    answers,
    contents,
    fixtures: loaded,
    origin: url.href.replace(/\/$/, ''),
    isRaw: options.isRaw,
    onAnswer: async (answer) => resumed?.append({ answer }),
    onProgress: (done, expected) => {
      const left = sayDuration(asker.estimateMs(expected - done))
      progress.report(`Asking, about ${left} left`, done, expected)
    },
  }).finally(() => {
    progress.end()
    close()
  })
  const times = answers.all.map(({ at }) => at).toSorted()
  const to = times.at(-1) ?? null
  const again = resumed ? 'Run it again to continue.' : 'With --resume FILE it can continue.'
  const notes = compared ? [] : [`${asker.stopReason} ${again}`]
  const written = compared && (await writeFixture(options, compared, notes))
  const lock = compared && (await compareLock(options, compared, to))
  if (compared) await resumed?.remove()
  const report: ComparisonReport = {
    version: 1,
    result: compared ? 'finished' : 'stopped',
    url: url.href,
    from: times[0] ?? null,
    to,
    requests: asker.count,
    answers: compared?.answers ?? { equal: 0, explained: 0, unexplained: 0, changed: 0 },
    policies: compared?.policies ?? [],
    unexplained: compared?.unexplained ?? [],
    assumed: compared?.read?.assumed ?? [],
    ...(lock && { lock }),
    ...(written !== undefined && { written }),
  }
  return { report, notes }
}

/**
 * Writes the fixture and returns its path; undefined without `--out`. If a response does not match the specification, adds a
 * note and returns undefined.
 */
async function writeFixture(
  { out, isRaw, url }: Options,
  { read, inForce }: Comparison,
  notes: string[],
): Promise<string | undefined> {
  if (out === undefined || !read) return undefined
  const [unknown] = read.unknown
  if (unknown) {
    notes.push(
      withoutControls(
        `There is no fixture, because the specification does not have ${unknown.place} in GET ${unknown.path}, or not like that.`,
      ),
    )
    return undefined
  }
  const fixture = isRaw ? read.fixture : await anonymise(read.fixture, await loadKey('names'))
  const text = formatReadFixture(
    { ...read, fixture },
    { isRaw, service: url.href, policies: inForce },
  )
  await atFile(`--out ${out}`, 'written', async () =>
    replaceFile(await followLinks(out), text, { isPrivate: true }),
  )
  return out
}

/**
 * Compares the policies with the lock; undefined without `--lock`. If the lock does not exist, or `--update-lock` is set,
 * writes the lock instead.
 */
async function compareLock(
  { lock: file, updatesLock, url }: Options,
  { policies }: Comparison,
  checked: string | null,
): Promise<LockOutcome | undefined> {
  if (file === undefined) return undefined
  const isThere = existsSync(file)
  if (!isThere || updatesLock) {
    const text = formatPolicyLock(toLock(policies, { service: url.href, checked: checked ?? '' }))
    await atFile(`--lock ${file}`, 'written', async () =>
      replaceFile(await followLinks(file), text),
    )
    return { file, result: isThere ? 'updated' : 'written', contradictions: [] }
  }
  const contradictions = findContradictions(await readLock(file), policies)
  return { file, result: contradictions.length > 0 ? 'contradicted' : 'holds', contradictions }
}

async function readLock(file: string): Promise<PolicyLock> {
  const text = await atFile(`--lock ${file}`, 'read', () => readFile(file, 'utf8'))
  return parsePolicyLock({ name: file, text })
}

const CLOCK: AskingClock = {
  now: Date.now,
  wait: (ms, signal) =>
    sleep(ms, undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error
    }),
}
