import { GAP_REMEDIES } from '../../contract/gap-remedies.ts'
import { POLICIES } from '../../contract/gaps.ts'
import type { Policy } from '../../contract/gaps.ts'
import type { Policies, PolicyName } from '../../contract/policies.ts'
import { toShownJson } from '../../contract/text.ts'
import { listOtherOptions } from '../../engine/gap-finder.ts'
import { isOfClient, shortenPath, statusOf } from '../../review/reviewed-request.ts'
import type { NamedRequest } from '../../review/reviewed-request.ts'
import type { LedgerEntry, Review } from '../../review/review.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { SandboxServer } from '../../server/start-server.ts'
import { createProgress } from '../command-progress.ts'
import type { ServeSettings } from '../serve-options.ts'
import { withServer } from './command-sandbox.ts'
import { EXEC_EXIT_CODES } from './exec-options.ts'

export interface CommandRun {
  /** The command's own exit code. */
  exit: number
  /** Exit code of `exec` after this run. Differs from `exit` if the command exited with 0 but failed the review. */
  code: number
  /** True if a signal or the end of npm stopped the run; no further run then starts. */
  isStopped: boolean
}

interface Run extends CommandRun {
  verdict: Review['verdict']
  ledger: LedgerEntry[]
  /** For each policy, the first request whose response depended on the policy. */
  rested: ReadonlyMap<PolicyName, RestingRequest>
  policies: Policies
  /** The world clock at the start of the run, in epoch milliseconds. */
  worldMs: number
}

type RestingRequest = Omit<NamedRequest, 'rateMs'>

/** A policy's option under which the command ended differently than in the first run. */
interface Dependence {
  gap: string
  policy: PolicyName
  option: string
  exit: number
  verdict: Review['verdict']
  /** Ledger entries that differ from the first run's. */
  ledger: LedgerEntry[]
  /** The first request of the differing run whose response depended on the policy; null if there is none. */
  request: RestingRequest | null
  /** Advice, as a sentence, for a client that is to work with every option. */
  instead: string
}

interface Varied {
  version: 1
  runs: number
  verdict: 'independent' | 'depends' | 'unstable' | 'base-failed'
  rested_on: { gap: string; policy: PolicyName }[]
  depends: Dependence[]
  /** Options under which the command ended differently once, but not when it ran again. */
  flaky: { policy: PolicyName; option: string }[]
}

interface VaryOptions {
  served: ServeSettings
  /** Runs the command against a server. Only the first run has output and a review. */
  run: (server: SandboxServer, isFirst: boolean) => Promise<CommandRun>
}

/**
 * Runs a command twice under the same policies. Then runs it under every other option of the policies that affected a
 * response in the first run, except those that the user has set. Each run has a new world, with its clock frozen at the
 * same time. Prints the options under which the command ended differently, and returns the exit code.
 */
export async function vary({ served, run }: VaryOptions): Promise<number> {
  const { quiet = false, json = false } = served
  const progress = createProgress(
    quiet || json ? { isTTY: false, write: () => {} } : process.stderr,
  )
  let { now } = served
  let runs = 0
  /** The ledger of the run also covers the projects in the ledger of `first`. */
  const runUnder = async (option: Record<string, string>, first?: Run): Promise<Run> => {
    let ended: Run | undefined
    const policy = { ...served.policy, ...option }
    const settings = { ...served, ...(now && { now }), frozen: true, 'show-gaps': true, policy }
    await withServer(settings, async (server) => {
      const { sandbox } = server as SandboxServer
      const began = sandbox.clock.read().now
      now = began
      const { policies } = sandbox.world
      const rested = noteRested(sandbox)
      runs += 1
      const end = await run(server as SandboxServer, runs === 1)
      const { verdict, ledger: read } = sandbox.review({ since: 'start' })
      const projects = [...read, ...(first?.ledger ?? [])].map(({ project }) => project)
      const { ledger } = sandbox.review({ since: 'start', projects: [...new Set(projects)] })
      ended = { ...end, verdict, ledger, rested, policies, worldMs: Date.parse(began) }
      return end.code
    })
    return ended!
  }

  const base = await runUnder({})
  const result = (parts: Partial<Varied>): Varied => {
    const rested_on = restedOn(base, served).map(({ id, policy }) => ({ gap: id, policy }))
    return { version: 1, runs, verdict: 'base-failed', rested_on, depends: [], flaky: [], ...parts }
  }
  if (base.isStopped) return base.exit
  if (base.exit !== 0) return publish(result({}), base)

  progress.announce('Running the command once more, to compare')
  const again = await runUnder({}, base)
  if (again.isStopped) return again.exit
  if (!endedAlike(base, again)) return publish(result({ verdict: 'unstable' }), base)

  const depends: Dependence[] = []
  const flaky: Varied['flaky'] = []
  const variations = restedOn(base, served).flatMap((gap) =>
    listOtherOptions(gap, base.policies, base.worldMs).map((option) => ({ gap, option })),
  )
  for (const { gap, option } of progress.during('Varying', variations, variations.length)) {
    const { policy } = gap
    const first = await runUnder({ [policy]: option }, base)
    if (first.isStopped) return first.exit
    if (endedAlike(base, first)) continue
    const second = await runUnder({ [policy]: option }, base)
    if (second.isStopped) return second.exit
    if (endedAlike(base, second)) flaky.push({ policy, option })
    else depends.push(toDependence(base, second, { gap, option }))
  }
  const verdict = depends.length > 0 ? 'depends' : 'independent'
  return publish(result({ verdict, depends, flaky }), base)

  function publish(varied: Varied, { code }: CommandRun): number {
    const isIndependent = varied.verdict === 'independent'
    if (json) process.stderr.write(`${toShownJson({ event: 'varied', ...varied })}\n`)
    else if (!quiet || !isIndependent) process.stderr.write(formatVaried(varied))
    return code === 0 && !isIndependent ? EXEC_EXIT_CODES.reviewFailed : code
  }
}

/** Starts to record, for each policy, the first client request whose response depends on the policy. */
function noteRested({ world }: Sandbox): ReadonlyMap<PolicyName, RestingRequest> {
  const rested = new Map<PolicyName, RestingRequest>()
  world.subscribe({
    onRequest: (recorded) => {
      if (!isOfClient(recorded)) return
      const { sequence, sender, target, query, policies } = recorded
      for (const policy of policies) {
        if (rested.has(policy)) continue
        const url = query === '' ? target.path : `${target.path}?${query}`
        const path = shortenPath(world.secrets.redactor.inText(url))
        rested.set(policy, { sequence, method: sender.method, path, status: statusOf(recorded) })
      }
    },
  })
  return rested
}

function restedOn({ rested }: Run, { policy: own = {} }: ServeSettings): Policy[] {
  return POLICIES.filter(({ policy }) => rested.has(policy) && !(policy in own))
}

function endedAlike(base: Run, { exit, verdict, ledger }: Run): boolean {
  return exit === base.exit && verdict === base.verdict && changedEntries(base, ledger).length === 0
}

/**
 * Returns the ledger entries that differ from the first run's. A report that the first run fetched, but that `ledger`
 * lacks, gets the state `missing`.
 */
function changedEntries(base: Run, ledger: readonly LedgerEntry[]): LedgerEntry[] {
  const before = new Set(base.ledger.map(entryKeyOf))
  const listed = new Set(ledger.map(reportKeyOf))
  const lost = base.ledger
    .filter((entry) => entry.fetches > 0 && !listed.has(reportKeyOf(entry)))
    .map((entry) => ({ ...entry, first_fetched_at: null, fetches: 0, state: 'missing' as const }))
  return [...ledger.filter((entry) => !before.has(entryKeyOf(entry))), ...lost]
}

function reportKeyOf({ session, project, report_number }: LedgerEntry): string {
  return `${session} ${project} ${report_number}`
}

/**
 * Returns a key for comparing ledger entries. Leaves out times and the id of the report, which may differ between
 * equivalent runs.
 */
function entryKeyOf(entry: LedgerEntry): string {
  return `${reportKeyOf(entry)} ${entry.fetches} ${entry.state}`
}

function toDependence(
  base: Run,
  { exit, verdict, ledger, rested }: Run,
  { gap, option }: { gap: Policy; option: string },
): Dependence {
  const { id, policy } = gap
  return {
    gap: id,
    policy,
    option,
    exit,
    verdict,
    ledger: changedEntries(base, ledger),
    request: rested.get(policy) ?? null,
    instead: GAP_REMEDIES[policy],
  }
}

function formatVaried({ verdict, runs, rested_on, depends, flaky }: Varied): string {
  const lines = [...headOf[verdict]({ runs, rested_on, depends })]
  for (const { policy, option } of flaky) {
    lines.push(
      `  ${policy}=${option} ended differently once, but not when it ran again: look for a cause in the client itself.`,
    )
  }
  return lines.map((line) => `${line}\n`).join('')
}

type Shown = Pick<Varied, 'runs' | 'rested_on' | 'depends'>

const headOf: Record<Varied['verdict'], (shown: Shown) => string[]> = {
  independent: ({ runs, rested_on }) => [
    rested_on.length === 0
      ? 'Independent: no answer rested on an open point of the specification.'
      : `Independent of the ${rested_on.length} policies that its answers rested on (${runs} runs).`,
  ],
  depends: ({ rested_on, depends }) => [
    `Depends on ${new Set(depends.map(({ policy }) => policy)).size} of ${rested_on.length}:`,
    ...depends.map(describeDependence),
  ],
  unstable: () => [
    'Unstable: the command ended differently when it ran again with the same answers, so nothing was varied. Let it start without the state of an earlier run.',
  ],
  'base-failed': () => ['Nothing was varied, because the command failed.'],
}

function describeDependence({
  gap,
  policy,
  option,
  exit,
  verdict,
  ledger,
  request,
  instead,
}: Dependence) {
  const after = request ? ` after ${request.method} ${request.path}` : ''
  return `  ${policy}=${option} (${gap}): ${toOutcome({ exit, verdict, ledger })}${after}. ${instead}`
}

function toOutcome({
  exit,
  verdict,
  ledger,
}: Pick<Dependence, 'exit' | 'verdict' | 'ledger'>): string {
  if (exit !== 0) return `exit ${exit}`
  const missing = ledger.filter(({ state }) => state === 'missing').length
  if (missing > 0) return `${missing} ${missing === 1 ? 'report' : 'reports'} never fetched`
  if (ledger.length > 0) return 'different deliveries of reports'
  return `review ${verdict}`
}
