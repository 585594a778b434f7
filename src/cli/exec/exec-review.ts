import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, parse } from 'node:path'
import { listChanged } from '../../contract/policies.ts'
import { toShownJson, withoutControls, shorten } from '../../contract/text.ts'
import { toDateTime } from '../../contract/time.ts'
import { VERSION } from '../../contract/version.ts'
import { explainUnmet, noteRequested } from '../../rehearsal/storm.ts'
import { judgeRun, clocksBetween } from '../../review/judge.ts'
import type { Demands } from '../../review/judge.ts'
import type { ReportInput } from '../../review/reports/report-input.ts'
import { toTerminal } from '../../review/reports/terminal.ts'
import { isFailure } from '../../review/verdict.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { errorCodeOf, toFileReason } from '../../server/file-errors.ts'
import type { SessionRun } from '../../session/session.ts'
import { DEFAULT_SETTINGS, flagNameOf, WORLD_OPTION_NAMES } from '../../world/options/table.ts'
import type { ReportFile } from '../command-options.ts'
import { colorsFor, printError, printWarning, quote } from '../print.ts'
import type { ServeSettings } from '../serve-options.ts'
import { annotate, createFolder, writeReports } from '../write-reports.ts'
import { withProxies } from './proxies.ts'
import { SessionSpool } from './session-spool.ts'

export interface RunRecord {
  requested: ReturnType<typeof noteRequested>
  /** The recorded session; undefined if recording could not begin. */
  spool: SessionSpool | undefined
}

/**
 * Starts to record a run of a command. Unless `isQuiet`, warns on standard error when the session, or the rest of it,
 * is not recorded.
 */
export function recordRun({ world }: Sandbox, { isQuiet }: { isQuiet: boolean }): RunRecord {
  const requested = noteRequested(world)
  const warn = (text: string) => isQuiet || printWarning(withoutControls(text))
  const onCut = (reason: string) =>
    warn(`The session is no longer recorded. ${reason} The review continues.`)
  try {
    return { requested, spool: new SessionSpool(world, { onCut }) }
  } catch (error) {
    if (errorCodeOf(error) === '') throw error
    warn(`${tmpdir()}: The session is not recorded. ${toFileReason(error)} The review continues.`)
    return { requested, spool: undefined }
  }
}

const SAVED_IN_PART = 'The saved session has only the beginning of it.'

interface ReviewedRun extends RunRecord {
  run: SessionRun
  reports: readonly ReportFile[]
}

/**
 * Reviews the client over all sessions of the run. Saves the last session if it reproduces an error, a warning, or the
 * failure of the run.
 */
export async function reviewRun(
  sandbox: Sandbox,
  { run, reports, requested, spool }: ReviewedRun,
): Promise<ReportInput> {
  const whole = judgeRun(run, {
    version: VERSION,
    review: (projects) => sandbox.review({ since: 'start', ...(projects && { projects }) }),
    explainUnmet: (id) => explainUnmet(id, requested),
  })
  const judged = withProxies(whole, process.env)
  const last = sandbox.review()
  spool?.stop()
  const isWhole = last.requests === judged.requests
  const isWorthSaving =
    (isWhole && isFailure(judged)) ||
    last.checks.some(({ result, severity }) => result === 'failed' && severity !== 'notice')
  // Requirements are about the whole run, of which the session may be only the last part.
  const saved = isWhole ? run : { ...run, require: [] }
  const session =
    spool && isWorthSaving ? await saveSession(spool, { run: saved, reports }) : undefined
  if (session === undefined || spool?.isCut !== true) return { review: judged, session }
  const notices = [...(judged.notice === undefined ? [] : [judged.notice]), SAVED_IN_PART]
  return { review: { ...judged, notice: notices.join(' ') }, session }
}

/** Returns the path for the session file, next to the first report; undefined if there are no reports. */
export function sessionFileOf([first]: readonly ReportFile[]): string | undefined {
  return first && join(dirname(first.path), `${parse(first.path).name}.session.jsonl`)
}

async function saveSession(
  spool: SessionSpool,
  { run, reports }: { run: SessionRun; reports: readonly ReportFile[] },
): Promise<string | undefined> {
  let path = sessionFileOf(reports)
  try {
    path ??= join(await mkdtemp(join(tmpdir(), 'seo-sandbox-')), 'session.jsonl')
    await createFolder(dirname(path))
    await spool.save(path, run)
    return path
  } catch (error) {
    if (errorCodeOf(error) === '') throw error
    const reason = `The session could not be saved. ${toFileReason(error)}`
    printError(withoutControls(`${path ?? tmpdir()}: ${reason}`), 'docs/judging.md')
    return undefined
  }
}

/**
 * Prints a review to standard error, and writes it to files. With --quiet, a passed review is neither printed nor
 * annotated. With --json, annotations are left out, because programs read standard error.
 *
 * @throws OptionError if a file cannot be written.
 */
export async function publishReview(
  input: ReportInput,
  reports: readonly ReportFile[],
  { json, quiet }: ServeSettings,
): Promise<void> {
  const { review: reviewed, session = null } = input
  if (!quiet || reviewed.verdict !== 'passed') {
    const text = json
      ? `${toShownJson({ event: 'reviewed', session, review: reviewed })}\n`
      : toTerminal(input, colorsFor(process.stderr))
    process.stderr.write(text)
    if (!json) annotate(input)
  }
  await writeReports(input, reports)
}

interface EndedRun {
  line: readonly string[]
  exit: number
  storm: SessionRun['storm']
  served: ServeSettings
  demands: Demands
  began: ReturnType<Sandbox['clock']['read']>
}

export function toRun(
  { clock, world }: Sandbox,
  { line, exit, storm, served, demands, began }: EndedRun,
): SessionRun {
  const { redactor } = world.secrets
  return {
    command: withoutSecrets(line, (text) => redactor.inText(text)),
    exit,
    ...(storm && { storm }),
    date: toDateTime(Date.now()),
    world: redactor.inData(servedOptionsOf(served)).data,
    policies: listChanged(world.policies),
    clocks: clocksBetween(began, clock.read()),
    require: [...demands.require],
    waive: [...demands.waive],
  }
}

/** Returns the options that define the world, except the policies, by their names in the config file. */
export function servedOptionsOf(served: ServeSettings): Record<string, unknown> {
  const values: Record<string, unknown> = { seed: DEFAULT_SETTINGS.seed, ...served }
  const names = [...WORLD_OPTION_NAMES.map(flagNameOf), 'snapshot', 'state']
  // Policies are reported separately, with their values at the end of the run.
  const set = names.filter((name) => name !== 'policy' && values[name] !== undefined)
  return Object.fromEntries(set.map((name) => [name, values[name]]))
}

/** Pattern for the name of a variable, field or option that holds a secret. */
const SECRET = String.raw`[\w-]*(?:token|secret|passw|pwd|auth(?!or\b|ors\b)|credential|cookie)[\w-]*|[\w-]*key|user`
const QUOTE = String.raw`["']?`
/**
 * Patterns for secrets in an argument, which may be a whole script. The first group of a match is shown, the rest
 * hidden.
 */
const SECRETS = [
  new RegExp(String.raw`(\bauthorization${QUOTE}\s*[=:]\s*${QUOTE})[^"']+`, 'gi'),
  new RegExp(String.raw`(\b(?:bearer|basic)\s+)[^\s"']+`, 'gi'),
  // TOKEN=…, "token": "…", X-Api-Key: …
  new RegExp(String.raw`(\b(?:${SECRET})${QUOTE}\s*[=:]\s*${QUOTE})[^\s"'&,;]+`, 'gi'),
  new RegExp(String.raw`(--?(?:${SECRET})\s+${QUOTE})[^\s"']+`, 'gi'),
  // https://user:…@host
  /(\/\/[^\s/:@]*:)[^\s/@]+(?=@)/g,
]
const SECRET_FLAG = new RegExp(`^(?:--?(?:${SECRET})|-u)$`, 'i')

const HIDDEN = '[hidden]'
/** Maximum length of a displayed command line, in characters. An argument may be a whole script. */
const MOST_SHOWN = 500
const PLAIN_WORD = /^[\w./:@%+=,~[\]-]+$/

/** Formats a command line for display: shortened, and with likely secrets and the strings that `redact` replaces hidden. */
export function withoutSecrets(line: readonly string[], redact: (text: string) => string): string {
  const words = line.map((word, index) => {
    if (SECRET_FLAG.test(line[index - 1] ?? '')) return HIDDEN
    const shown = redact(
      SECRETS.reduce((text, secret) => text.replaceAll(secret, `$1${HIDDEN}`), word),
    )
    return PLAIN_WORD.test(shown) ? shown : quote(shown)
  })
  return shorten(words.join(' ').replaceAll(/\s+/g, ' '), MOST_SHOWN)
}
