import { describeError } from '../adapters/fail-with.ts'
import { TrustedHops } from '../adapters/trusted-hops.ts'
import { isLoopback } from '../contract/addresses.ts'
import { toDateTime } from '../contract/time.ts'
import { setTimeout } from '../contract/timers.ts'
import type { SandboxOptions } from '../sandbox/sandbox.ts'
import { readWorldsOptions } from '../sandbox/worlds-options.ts'
import type { StoreBackend } from '../store/store-backend.ts'
import { StoreError } from '../store/store-error.ts'
import type { StoreErrorCode } from '../store/store-error.ts'
import { LimitsOption, StoreUrlOption } from '../store/store-options.ts'
import type { HostError } from '../world/hosted-worlds.ts'
import { OptionError } from '../world/options/option-error.ts'
import { parseOption, Switch } from '../world/options/parse-option.ts'
import type { Backend } from './backend.ts'
import { loadOptional, REDIS, openMetrics } from './optional-packages.ts'
import { readAccess, serveBackend } from './serve-backend.ts'
import type { RunningServer } from './serve-backend.ts'
import type { StoreServerOptions } from './server-options.ts'
import { LIMITED_HEADER, toRefusedResponse } from './store-refusal.ts'
import { WorldRates } from './world-rates.ts'

/** A server that shares the worlds of a store with other servers. */
export interface StoreServer extends RunningServer {
  /**
   * True if the last server of the store with an admin key had a different one. Always false for a server without an admin key, and
   * with `ownWorld`.
   */
  hasOtherAdminKey: boolean
  /**
   * True if the built-in tokens of the default world, and its report pages, are closed to everyone, because other machines can
   * reach the server.
   */
  isDefaultClosed: boolean
  /** True if the default world accepts requests with this token. */
  admits: StoreBackend['admits']
  /**
   * Stops the server within ten seconds. First reports to a proxy that asks for `/_sandbox/ready` that the server is not ready.
   * Then stops listening, lets responses in progress finish, and stores snapshots of the worlds that have changed.
   */
  close: () => Promise<void>
}

/** Limit of the URL and headers, lower than usual because each request is written to a log. */
const HEAD = { kilobytes: 8, refusedBy: [LIMITED_HEADER, 'host'] } as const

/** Maximum time for responses in progress when the server stops, in milliseconds: as long as a call to the store may take. */
const GRACE_MS = 2000

/** @throws the errors of `startServer` */
export async function serveStore(
  worlds: SandboxOptions,
  options: StoreServerOptions,
): Promise<StoreServer> {
  refuse(options)
  const url = parseOption(StoreUrlOption, options.store, 'store')
  const access = readAccess(options)
  const limits = parseOption(LimitsOption, options.limits ?? {}, 'limits')
  const metrics = await openMetrics(options)
  const errors = new LastErrors()
  const hasOwnWorld = parseOption(Switch, options.ownWorld ?? false, 'ownWorld')
  const hops = parseOption(TrustedHops, options.trustProxy ?? 0, 'trustProxy')
  const isDefaultClosed = !hasOwnWorld && (hops > 0 || !isLoopback(access.listensOn))
  const { StoreBackend } = await loadOptional(() => import('../store/store-backend.ts'), REDIS)
  const backend = await StoreBackend.open({
    ...(await readWorldsOptions(worlds)),
    url,
    limits,
    isDefaultClosed,
    hasOwnWorld,
    meter: metrics?.ofStore,
    hidden: access.adminKey === undefined ? [] : [access.adminKey],
    onError: (error, world) => {
      const sentence = toSentence(error)
      errors.add(sentence, world)
      options.onStoreError?.(sentence)
    },
  })
  try {
    const readiness = new Readiness()
    const serving = { head: HEAD, graceMs: GRACE_MS, metrics }
    const { adminKey } = access
    const hasOtherAdminKey =
      adminKey !== undefined && !hasOwnWorld && (await backend.isOtherAdminKey(adminKey))
    const { showGaps } = backend.world.options.settings
    const served = await serveBackend(
      toServed(backend, { readiness, errors, isDefaultClosed }),
      access,
      { ...options, showGaps },
      serving,
    )
    return {
      ...served,
      hasOtherAdminKey,
      isDefaultClosed,
      admits: backend.admits,
      close: async () => {
        await readiness.withdraw()
        await served.close()
        await backend.close()
      },
    }
  } catch (error) {
    await backend.close()
    throw error instanceof StoreError ? new OptionError(`--store: ${error.message}`) : error
  }
}

/** @throws OptionError for options that cannot be combined with a store */
function refuse(options: object): void {
  for (const [name, what] of [
    ['state', 'A state file'],
    ['snapshot', 'A snapshot'],
  ] as const) {
    if (!(name in options) || Reflect.get(options, name) === undefined) continue
    throw new OptionError(
      `${what} (--${name}) is for one server, and a store (--store) keeps the worlds of several. Use one of them.`,
    )
  }
}

/** Returns the backend for a server. It lists the errors of API requests, and converts StoreErrors to responses. */
function toServed(
  backend: StoreBackend,
  {
    readiness,
    errors,
    isDefaultClosed,
  }: { readiness: Readiness; errors: LastErrors; isDefaultClosed: boolean },
): Backend {
  return {
    world: backend.world,
    worlds: backend,
    rates: new WorldRates(backend.limits),
    answer: async (request, show) => {
      try {
        const response = await backend.answer(request)
        const world = backend.worldOf(request)
        return world ? show(response, request, world) : response
      } catch (error) {
        errors.add(toSentence(error), isOfWorld(error) ? backend.idOf(request) : null)
        if (error instanceof StoreError) return toRefusedResponse(error)
        throw error
      }
    },
    problems: () => backend.problems(),
    store: {
      get isReached() {
        return backend.isReached
      },
      get takesChanges() {
        return backend.takesChanges
      },
      isDefaultClosed,
      damaged: () => backend.damaged(),
      largestWorlds: () => backend.largestWorlds,
      answers: () => readiness.ask(() => backend.answers()),
      load: (id) => backend.load(id),
      partners: backend.partners,
      lastErrors: () => errors.list(),
      limits: backend.limits,
    },
  }
}

/**
 * Codes of StoreErrors that concern one world. All other StoreErrors are listed without a world, because the world of the token may
 * not even exist.
 */
const OF_A_WORLD: readonly StoreErrorCode[] = [
  'too_many_requests',
  'too_many_costly',
  'expired',
  'world_unavailable',
  'world_damaged',
]

function isOfWorld(error: unknown): boolean {
  return !(error instanceof StoreError) || OF_A_WORLD.includes(error.code)
}

function toSentence(error: unknown): string {
  return error instanceof StoreError ? (error.forOperator ?? error.message) : describeError(error)
}

/** Maximum age of a proxy's last readiness check for which a stopping server waits for the proxy, in milliseconds. */
const ASKING_MS = 5000

/** Number of not-ready responses after which a proxy is assumed to know that the server is stopping. */
const TOLD_TIMES = 2
/** Maximum time for which a stopping server waits for `TOLD_TIMES` readiness checks of a proxy, in milliseconds. */
const MAXIMUM_WAIT_MS = 3000

/** Time in which a proxy reacts after it has learned that the server is not ready, in milliseconds. */
const REACTION_MS = 100

/**
 * Readiness of a server for requests from a proxy. A stopping server first reports that it is not ready, so that the proxy can
 * redirect requests in time.
 */
class Readiness {
  #askedMs = -Infinity
  #isWithdrawn = false
  #told = 0
  #onTold: () => void = () => undefined

  /** Answers the readiness check of a proxy. `check` resolves to true if the server can serve requests. */
  async ask(check: () => Promise<boolean>): Promise<boolean> {
    this.#askedMs = performance.now()
    if (!this.#isWithdrawn) return check()
    this.#told += 1
    if (this.#told === TOLD_TIMES) this.#onTold()
    return false
  }

  /**
   * Reports that the server is not ready, and resolves when the proxy has had time to react, or after `MAXIMUM_WAIT_MS`. Resolves
   * immediately if no proxy has asked within `ASKING_MS`.
   */
  async withdraw(): Promise<void> {
    this.#isWithdrawn = true
    if (performance.now() - this.#askedMs > ASKING_MS) return
    await new Promise<void>((resolve) => {
      this.#onTold = () => void setTimeout(resolve, REACTION_MS)
      setTimeout(resolve, MAXIMUM_WAIT_MS).unref()
    })
  }
}

const MAXIMUM_ERRORS = 50

/** The last errors of a server. An error that recurs in the same world is counted instead of listed again. */
class LastErrors {
  readonly #errors = new Map<string, HostError>()

  add(message: string, world: string | null = null): void {
    // The stack of an unexpected error begins on the second line.
    const [sentence = ''] = message.split('\n', 1)
    const key = `${world} ${sentence}`
    const times = (this.#errors.get(key)?.times ?? 0) + 1
    this.#errors.delete(key)
    this.#errors.set(key, { at: toDateTime(Date.now()), world, message: sentence, times })
    const [oldest] = this.#errors.keys()
    if (oldest !== undefined && this.#errors.size > MAXIMUM_ERRORS) this.#errors.delete(oldest)
  }

  /** Returns the errors, the most recent first. */
  list(): HostError[] {
    return [...this.#errors.values()].toReversed()
  }
}
