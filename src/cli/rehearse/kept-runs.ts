import { cpSync, lstatSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { withoutControls } from '../../contract/describe.ts'
import { LATEST_MS } from '../../contract/moments.ts'
import { formatProblems } from '../../contract/validation.ts'
import { validate } from '../../contract/validate.ts'
import { VERSION } from '../../contract/version.ts'
import type { RehearsalPlan } from '../../rehearsal/plan.ts'
import { Plan } from '../../review/rehearsal.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { codeOf, toFileReason } from '../../server/file-errors.ts'
import { OptionError } from '../../world/option-error.ts'
import { flagNameOf, WORLD_OPTION_NAMES } from '../../world/option-flags.ts'
import type { ServeSettings } from '../serve-options.ts'
import { createFolder } from '../write-reports.ts'
import { CLIENT_CLOCKS, WORLD_SOURCES } from './options.ts'
import { emptyFolder, MARKER, removeWhole } from './own-folder.ts'

/** How many runs with a possible finding have the state before them kept during a rehearsal, and how many after it. */
const MOST_REMEMBERED = 100
const MOST_KEPT = 20

const FILES = { run: 'run.json', world: 'world.json', state: 'state' } as const

const Step = z.strictObject({
  atMs: z.number().min(0).max(LATEST_MS),
  isRunning: z.boolean(),
  commands: z.array(z.looseObject({ type: z.string() })),
  faults: z.array(z.looseObject({ kind: z.string() })),
  isCalm: z.boolean(),
  trouble: z.string().nullable(),
  isOutage: z.boolean(),
  isTight: z.boolean(),
  events: z.array(z.string()),
})

/** `run.json` of a run that was kept. */
const KeptRun = z.strictObject({
  version: z.literal(1),
  release: z.string(),
  run: z.int().positive(),
  client_clock: z.enum(CLIENT_CLOCKS),
  client_state: z.string().nullable(),
  /** The options that the world was created with, besides what its snapshot has. */
  settings: z.record(z.string(), z.unknown()),
  plan: z.strictObject({
    /** The steps of other runs lack what was done before those. */
    steps: z.array(Step),
    past_page: z.array(z.int()),
    shown: Plan,
  }),
})
type KeptRun = z.infer<typeof KeptRun>

/** What is the same for each run that is kept. */
interface KeptFrom extends Pick<KeptRun, 'client_clock' | 'client_state' | 'settings'> {
  plan: RehearsalPlan
}

/** A run that can be repeated. */
export interface RepeatableRun extends KeptFrom {
  number: number
  /** The file with the snapshot of the world before it. */
  world: string
  /** The folder with the client's state before it. */
  state: string
}

interface KeptRunsOptions {
  folder: string
  sandbox: Sandbox
  from: KeptFrom
  /** Called where something cannot be kept. */
  onError: (error: unknown) => void
}

/** Folders with the state before each run with a finding: the world, and what the client keeps. */
export class KeptRuns {
  readonly #options: KeptRunsOptions
  readonly #numbers: number[] = []
  #world = ''

  constructor(options: KeptRunsOptions) {
    this.#options = options
  }

  /** Keeps the state before a run until it is over. */
  async keep(): Promise<void> {
    if (this.#numbers.length >= MOST_REMEMBERED) return
    const { sandbox, from } = this.#options
    this.#world = JSON.stringify(await sandbox.snapshot())
    if (from.client_state === null) return
    await this.#try(async () => {
      await removeWhole(this.#waiting)
      copyFolder(from.client_state!, this.#waiting)
    })
  }

  /** Keeps it for longer, as something may be found in the run. */
  async confirm(number: number): Promise<void> {
    if (this.#numbers.length >= MOST_REMEMBERED) return
    const folder = this.folderOf(number)
    const kept = await this.#try(async () => {
      await mkdir(folder)
      await writeFile(join(folder, FILES.run), JSON.stringify(this.#describe(number)))
      await writeFile(join(folder, FILES.world), this.#world, { mode: 0o600 })
      if (this.#options.from.client_state !== null)
        await rename(this.#waiting, join(folder, FILES.state))
    })
    if (kept) this.#numbers.push(number)
    else await removeWhole(folder)
  }

  /** Removes all but the first of these runs, the most important ones first, and returns the numbers of those that stay. */
  async finish(wanted: readonly number[]): Promise<number[]> {
    const kept = wanted.filter((number) => this.#numbers.includes(number)).slice(0, MOST_KEPT)
    await this.#try(async () => {
      await removeWhole(this.#waiting)
      for (const number of this.#numbers) {
        if (!kept.includes(number)) await removeWhole(this.folderOf(number))
      }
    })
    return kept
  }

  folderOf(number: number): string {
    return join(this.#options.folder, `run-${number}`)
  }

  get #waiting(): string {
    return join(this.#options.folder, 'next-state')
  }

  #describe(number: number): KeptRun {
    const { plan, client_clock, client_state, settings } = this.#options.from
    const steps = plan.steps.map((step, index) =>
      index === number - 1 ? step : { ...step, commands: [], faults: [], events: [] },
    )
    return {
      version: 1,
      release: VERSION,
      run: number,
      client_clock,
      client_state,
      settings,
      plan: { steps, past_page: [...plan.pastPage], shown: plan.shown },
    }
  }

  async #try(work: () => Promise<void>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      if (codeOf(error) === '') throw error
      this.#options.onError(error)
      return false
    }
  }
}

/** Copies a folder without what only makes sense where it is: its marker, sockets and pipes. */
function copyFolder(from: string, to: string): void {
  cpSync(from, to, {
    recursive: true,
    preserveTimestamps: true,
    verbatimSymlinks: true,
    filter: (path) => path !== join(from, MARKER) && !isSpecial(path),
  })
}

function isSpecial(path: string): boolean {
  const entry = lstatSync(path, { throwIfNoEntry: false })
  return entry === undefined || entry.isSocket() || entry.isFIFO()
}

/** Puts the client's state before a run back into its folder. */
export async function putStateBack({ client_state, state }: RepeatableRun): Promise<void> {
  if (client_state === null) return
  // The client may have removed it.
  await createFolder(client_state)
  await emptyFolder(client_state)
  copyFolder(state, client_state)
}

/** The options of the world that its snapshot does not have. */
export function settingsToKeep(served: ServeSettings): Record<string, unknown> {
  const values: Record<string, unknown> = served
  const names = WORLD_OPTION_NAMES.map(flagNameOf).filter(
    (name) => !OF_A_SNAPSHOT.includes(name) && values[name] !== undefined,
  )
  return Object.fromEntries(names.map((name) => [name, values[name]]))
}

const OF_A_SNAPSHOT: readonly string[] = [...WORLD_SOURCES, 'now', 'frozen']

/** Reads the folder of a run that was kept. @throws OptionError for any other. */
export async function readKeptRun(folder: string): Promise<RepeatableRun> {
  const source = `--from ${withoutControls(folder)}`
  let input: unknown
  try {
    input = JSON.parse(await readFile(join(folder, FILES.run), 'utf8'))
  } catch (error) {
    const isMissing = codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR'
    const reason = isMissing || codeOf(error) === '' ? NO_RUN : toFileReason(error, 'read')
    throw new OptionError(`${source}: ${reason}`, { cause: error })
  }
  const checked = validate(KeptRun, input)
  if (!('value' in checked))
    throw new OptionError(`${source}: ${formatProblems(checked.problems)} ${NO_RUN}`)
  const { run, plan, release, client_clock, client_state, settings } = checked.value
  if (release !== VERSION)
    throw new OptionError(
      `${source}: Release ${release} has kept it. Rehearse again with this one.`,
    )
  if (run > plan.steps.length) throw new OptionError(`${source}: It has no such run. ${NO_RUN}`)
  const { steps, past_page, shown } = plan
  return {
    number: run,
    client_clock,
    client_state,
    settings,
    // Commands and faults are checked when they are applied.
    plan: { steps, pastPage: new Set(past_page), shown } as unknown as RehearsalPlan,
    world: join(folder, FILES.world),
    state: join(folder, FILES.state),
  }
}

const NO_RUN =
  'It has no run that a rehearsal has kept. Name a folder like run-38, in the -runs folder of a report.'
