import type { TokenRecord } from '../../contract/token.ts'
import { planRehearsal } from '../../rehearsal/rehearsal-plan.ts'
import type { RehearsalPlan } from '../../rehearsal/rehearsal-plan.ts'
import { toStart } from '../../rehearsal/plan-options.ts'
import { createSandbox } from '../../sandbox/create-sandbox.ts'
import { timeDelaysBy } from '../../sandbox/delivery.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { findUsableToken } from '../../world/usable-token.ts'
import { ClientClock } from './client-clock.ts'
import type { ReadOptions } from './client-options.ts'
import { RehearsalError } from './client-options.ts'
import { RequestsUnderWay } from './requests-under-way.ts'

export interface ClientStage {
  options: ReadOptions
  clock: ClientClock
  requests: RequestsUnderWay
  sandbox: Sandbox
  token: TokenRecord
  plan: RehearsalPlan
}

/**
 * Number of responses without a socket after which other work of this process gets a turn. Otherwise a client could
 * block that work forever.
 */
const RESPONSES_PER_TURN = 50

let isTaken = false

/**
 * Calls `use` with a stage, while this process runs on the clock of the rehearsal. Afterwards, even after an error,
 * restores the clock and resets the sandbox of the options, if there is one. An aborted signal restores the clock
 * immediately, because the next test may begin. Even a client that never stops yields to other work.
 *
 * @throws OptionError for an invalid start; RehearsalError if another rehearsal is running, timers are already faked,
 * or no token is usable; the reason of an aborted signal; any error of `use`
 */
export async function onStage<Result>(
  options: ReadOptions,
  use: (stage: ClientStage) => Promise<Result>,
): Promise<Result> {
  if (isTaken)
    throw new RehearsalError(
      'already_running',
      'Another rehearsal is running in this process, and controls its clock. Await that one first.',
    )
  if (ClientClock.isTaken)
    throw new RehearsalError(
      'timers_faked',
      'The timers of this process are faked already. Leave out vi.useFakeTimers(), jest.useFakeTimers() or mock.timers here: a rehearsal has its own.',
    )
  isTaken = true
  let clock: ClientClock | undefined
  const requests = new RequestsUnderWay()
  let responses = 0
  const yieldTurn = (): Promise<void> | undefined => {
    responses += 1
    return responses % RESPONSES_PER_TURN === 0 ? requests.yieldTurn() : undefined
  }
  let isReleased = false
  const release = (before?: typeof yieldTurn): void => {
    if (isReleased) return
    isReleased = true
    requests.stop()
    timeDelaysBy(undefined, before)
    clock?.restore()
    isTaken = false
  }
  const onAbort = () => release()
  options.signal?.addEventListener('abort', onAbort)
  let isEndless = false
  try {
    const startMs = await startOf(options)
    options.signal?.throwIfAborted()
    clock = new ClientClock({ startMs, seed: options.seed })
    timeDelaysBy(clock.timers, yieldTurn)
    requests.start()
    return await use(await setStage(options, { clock, requests, startMs }))
  } catch (error) {
    isEndless = error instanceof RehearsalError && error.code === 'endless'
    throw error
  } finally {
    options.signal?.removeEventListener('abort', onAbort)
    // A client that never stops must keep yielding to other work.
    release(isEndless ? yieldTurn : undefined)
    // The clock is restored first, because dates in the sandbox may be relative to it. After an abort, the next rehearsal may
    // have begun, and has then reset its sandbox itself.
    if (!isTaken) await options.sandbox?.reset()
  }
}

async function startOf({ startMs, sandbox }: ReadOptions): Promise<number> {
  const realMs = Date.now()
  await sandbox?.reset()
  const loadedMs = sandbox ? Date.parse(sandbox.world.origin.loadedAt) : realMs
  return toStart({ startMs, loadedMs, realMs }, 'start')
}

async function setStage(
  options: ReadOptions,
  { startMs, ...rest }: Pick<ClientStage, 'clock' | 'requests'> & { startMs: number },
): Promise<ClientStage> {
  const { seed, profile, every, for: length, texts } = options
  const sandbox = options.sandbox ?? (await createSandbox({ demo: true, seed }))
  await sandbox.reset()
  const { records } = sandbox.world
  const token = findUsableToken(records.all('tokens'))
  if (!token)
    throw new RehearsalError(
      'no_token',
      'The world has no token that this machine may use. Add an active one to its fixture.',
    )
  const own = { seed, profile, startMs, every, for: length, texts, records, token }
  const planned = { ...own, canBeKilled: options.state !== undefined }
  return { options, ...rest, sandbox, token, plan: planRehearsal(planned) }
}
