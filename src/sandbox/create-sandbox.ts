import { MEGABYTE } from '../contract/limits.ts'
import { EXPLANATION_OPTIONS } from '../contract/explanation-options.ts'
import { readFields } from '../contract/read-fields.ts'
import type { RecordOf } from '../contract/records.ts'
import { REPORT_STEP_NAMES } from '../contract/report-facts.ts'
import type { ReportStep } from '../contract/report-facts.ts'
import { describe } from '../contract/text.ts'
import type { ApiRequest, ApiResponse } from '../engine/messages.ts'
import type * as Reviews from '../review/record-review.ts'
import type { Replay } from '../session/replay-session.ts'
import { recordSession, sessionOf } from '../session/session-recorder.ts'
import { toPlain } from '../world/change.ts'
import type { ReportName } from '../world/change.ts'
import { acceptedOf, invalidCommand, recordNotFound } from '../world/command-error.ts'
import type { IsolatedWorldSettings } from '../world/isolated-worlds.ts'
import { OptionError } from '../world/options/option-error.ts'
import { Requests } from '../world/requests.ts'
import type { World } from '../world/world.ts'
import { Worlds } from '../world/worlds.ts'
import { fetchFrom } from './fetch.ts'
import type {
  IsolatedWorldOptions,
  Sandbox,
  SandboxOptions,
  ReportFields,
  SandboxReports,
} from './sandbox.ts'
import { readWorldsOptions } from './worlds-options.ts'

/** Maximum number of isolated worlds, however large the heap is. */
const MAXIMUM_WORLDS = 1000

/** Assumed size of a world, in bytes, for the number of worlds that fit into half of the heap. Most worlds are smaller. */
const WORLD_BYTES = MEGABYTE

/**
 * Creates a sandbox: the Search Content and Reporting Service with a world of its own.
 *
 * @throws FixtureError with every problem of the fixtures, OptionError for an invalid option.
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  // Imported on demand, so that a page loads little at its start.
  const [reviews, read] = await Promise.all([
    import('../review/record-review.ts'),
    readWorldsOptions(options, ['delays']),
  ])
  read.base.followsTimers = readDelays(options) === 'timers'
  const worlds = await Worlds.create({
    ...read,
    onCreate: (world) => {
      recordSession(world)
      reviews.recordReview(world)
    },
    maximumWorlds: Math.min(MAXIMUM_WORLDS, Math.ceil(read.heapLimit / 2 / WORLD_BYTES)),
  })
  return createFacade(worlds.default, {
    worlds,
    pick: (request) => worlds.worldOf(request),
    reviews,
  })
}

function readDelays({ delays = 'real' }: SandboxOptions): 'real' | 'timers' {
  if (['real', 'timers'].includes(delays)) return delays
  throw new OptionError(`delays: ${describe(delays)} is not a kind of timer: use real or timers.`)
}

async function toIsolatedSettings(options: IsolatedWorldOptions): Promise<IsolatedWorldSettings> {
  const fixtures = await options.fixtures
  const { parseSettings } = await import('../world/options/parse-settings.ts')
  const { ISOLATED_OPTION_NAMES } = await import('../world/options/table.ts')
  const settings = parseSettings(options, ISOLATED_OPTION_NAMES, 'worlds.create')
  const { scenario, demo, generate, locale } = options
  return { fixtures, scenario, demo, generate, locale, settings }
}

interface FacadeParts {
  worlds: Worlds
  pick: (request: ApiRequest) => World
  reviews: Pick<typeof Reviews, 'reviewOf' | 'toSessionReview'>
}

/** Returns the library's interface to a world. `pick` returns the world that handles a request. */
function createFacade(world: World, { worlds, pick, reviews }: FacadeParts): Sandbox {
  const answer = (request: ApiRequest): ApiResponse => pick(request).handle(request)
  return {
    world,
    worlds: {
      control: worlds,
      create: async (options = {}) => {
        const settings = await toIsolatedSettings(options)
        const { id, tokens, world: isolated } = await worlds.create(settings)
        return {
          id,
          tokens,
          sandbox: createFacade(isolated, { worlds, pick: () => isolated, reviews }),
        }
      },
      list: () => worlds.list(),
      drop: (id) => worlds.drop(id),
    },
    answer,
    fetch: (input, init) => fetchFrom(answer, input, init),
    command: (command) => world.command(command),
    requests: new Requests(world),
    reset: async () => {
      await world.command({ type: 'reset' })
    },
    faults: {
      add: (fault) => world.command({ type: 'fault.add', fault }),
      set: (faults) => world.command({ type: 'fault.set', faults: [...faults] }),
      remove: (id) => world.command({ type: 'fault.remove', id }),
      clear: async () => {
        await world.command({ type: 'fault.set', faults: [] })
      },
      list: () => world.faults,
    },
    get gaps() {
      return world.gaps
    },
    explain: (project, { at, changes } = {}) => {
      const options = acceptedOf(
        readFields(EXPLANATION_OPTIONS, { at: at && timeToText('at', at), changes }),
      )
      const explanation = world.explain(project, options)
      if (explanation) return explanation
      throw recordNotFound(`There is no project ${project}.`)
    },
    review: (options) => reviews.reviewOf(world, options),
    snapshot: () => world.snapshot(),
    session: () => sessionOf(world, { toReview: reviews.toSessionReview }),
    restore: async (snapshot) => {
      await world.command({ type: 'snapshot.restore', snapshot })
    },
    clock: {
      set: async (now) => world.command({ type: 'clock.set', now: timeToText('now', now) }),
      advance: (by) => world.command({ type: 'clock.advance', by }),
      freeze: (frozen = true) => world.command({ type: 'clock.freeze', frozen }),
      read: () => world.clock,
    },
    reports: createReports(world),
  }
}

function createReports(world: World): SandboxReports {
  const steps = REPORT_STEP_NAMES.map((step) => [
    step,
    async (report: ReportName, overrides: ReportFields = {}) => {
      const [type, fields] = [`report.${step}` as const, toPlain(overrides)]
      return world.commandReport<typeof type>(report, { type, fields })
    },
  ])
  return {
    ...(Object.fromEntries(steps) as Record<ReportStep, SandboxReports[ReportStep]>),
    create: ({ project }, fields = {}) =>
      world.command({ type: 'report.create', project, fields: { ...fields } }),
    set: async (report, fields) => {
      const patch = toPlain<Record<string, unknown>>(fields)
      const command = { type: 'record.patch', collection: 'reports', patch } as const
      const { record } = await world.commandReport<'record.patch'>(report, command)
      return record as RecordOf<'reports'>
    },
  }
}

/** Converts a time to a string. Strings are validated later. @throws CommandError for an invalid `Date`. */
function timeToText(field: string, time: string | Date): string {
  if (!(time instanceof Date)) return time
  if (!Number.isNaN(time.getTime())) return time.toISOString()
  throw invalidCommand({ path: [field], message: 'This Date is invalid. Pass a valid one.' })
}

/**
 * Replays a recorded session in a new world.
 *
 * @param session The result of `sandbox.session()`, or a session read from a file.
 * @throws SessionError if the input is not a session of this release.
 */
export async function replay(session: unknown): Promise<Replay> {
  const [{ replaySession }, { parseSession }] = await Promise.all([
    import('../session/replay-session.ts'),
    import('../session/session.ts'),
  ])
  return replaySession(parseSession(session))
}
