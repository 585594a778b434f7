import type { z } from 'zod'
import { lowerBound } from '../contract/lists.ts'
import { toDateTime } from '../contract/time.ts'
import type { Seed } from '../fixtures/seed.ts'
import type { Generate } from '../records/generation/generate.ts'
import type { Locale } from '../contract/locales.ts'
import type { ListPage, ListRange, WorldInfo } from './hosted-worlds.ts'
import { completeSettings } from './options/table.ts'
import type { PartialSettings } from './options/table.ts'
import type { WorldOptions } from './world-state.ts'
import type { World } from './world.ts'

/** Time without use after which a world may be dropped to make room for another. */
const IN_USE_MS = 60_000

export interface IsolatedWorldEntry {
  id: string
  /** Number of the world in the order of creation, from 1. */
  number: number
  world: World
  unsubscribe: () => void
  createdMs: number
  usedMs: number
  /** Time for which the world is kept while unused, in milliseconds. */
  idleMs: number
  requests: number
}

/** The isolated worlds of a process, in the order of their last use. */
export class IsolatedWorlds {
  readonly #nowMs: () => number
  readonly #byId = new Map<string, IsolatedWorldEntry>()

  /** `nowMs` is the machine's clock, in epoch milliseconds. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  get size(): number {
    return this.#byId.size
  }

  get(id: string): IsolatedWorldEntry | undefined {
    return this.#byId.get(id)
  }

  add(added: Omit<IsolatedWorldEntry, 'createdMs' | 'usedMs' | 'requests'>): IsolatedWorldEntry {
    const nowMs = this.#nowMs()
    const isolated = { ...added, createdMs: nowMs, usedMs: nowMs, requests: 0 }
    this.#byId.set(added.id, isolated)
    return isolated
  }

  delete({ id }: IsolatedWorldEntry): void {
    this.#byId.delete(id)
  }

  /** Notes a use of a world, which makes it the most recently used one. */
  use(isolated: IsolatedWorldEntry): void {
    this.#byId.delete(isolated.id)
    this.#byId.set(isolated.id, isolated)
    isolated.usedMs = this.#nowMs()
  }

  /** True if a world has been unused for longer than it is kept. */
  isIdle({ usedMs, idleMs }: IsolatedWorldEntry): boolean {
    return this.#nowMs() - usedMs > idleMs
  }

  /** Returns all worlds, the least recently used first. */
  all(): IsolatedWorldEntry[] {
    return [...this.#byId.values()]
  }

  /** Returns the worlds that new worlds may replace: those unused for `IN_USE_MS`, the least recently used first. */
  displaceable(): IsolatedWorldEntry[] {
    const nowMs = this.#nowMs()
    return this.all().filter(({ usedMs }) => nowMs - usedMs >= IN_USE_MS)
  }

  /** Returns the public information about the worlds, the oldest first. */
  list(): WorldInfo[] {
    return this.all()
      .toSorted((one, other) => one.number - other.number)
      .map(({ id, createdMs, usedMs, requests }) => ({
        id,
        created_at: toDateTime(createdMs),
        last_used_at: toDateTime(usedMs),
        requests,
      }))
  }

  page({ limit = Infinity, after = '' }: ListRange): ListPage<WorldInfo> {
    const all = this.list()
    const last = numberOf(after)
    const start = lowerBound(all.length, (index) => numberOf(all[index]?.id ?? '') > last)
    const items = all.slice(start, start + limit)
    const isLast = start + items.length >= all.length
    const end = items.at(-1)
    const next = isLast || !end ? null : `${Date.parse(end.created_at)}-${end.id}`
    return { items, total: all.length, next }
  }
}

/** Parses the number of a world at the end of its id or of a page's cursor; 0 if there is none. */
function numberOf(text: string): number {
  return Number(/\d*$/.exec(text)?.[0] ?? 0)
}

/** Maximum number of requests in the journal of an isolated world. */
const MAXIMUM_JOURNAL = 1000

/** Maximum number of generated projects in an isolated world. */
const MAXIMUM_GENERATED = 1000

/** Source of the records of a world, as in the options of a sandbox. */
export interface WorldSource {
  fixtures?: string | object | undefined
  scenario?: string | undefined
  demo?: boolean | undefined
  generate?: z.input<typeof Generate> | undefined
  locale?: Locale | readonly Locale[] | undefined
}

/**
 * Options for the source of the records of a world, except fixtures. They come from a request or a caller, and are not yet
 * validated.
 */
export interface StatedSource extends Pick<WorldSource, 'scenario' | 'demo'> {
  generate?: unknown
  locale?: unknown
}

/**
 * Settings of an isolated world, and the source of its records. Omitted settings are as in the default world, and so are the
 * records if no source is set.
 */
export interface IsolatedWorldSettings extends WorldSource {
  settings?: PartialSettings | undefined
  /** Time for which the world is kept while unused, in milliseconds of the machine's clock; unlimited if omitted. */
  idleMs?: number | undefined
}

/** Parts of the default world from which the options of isolated worlds are derived. */
interface DefaultWorld {
  base: Pick<WorldOptions, 'settings' | 'readFixtures' | 'journalSize'>
  readSeed: (source: WorldSource) => Promise<Seed>
  preset: Seed
}

/**
 * Returns the options of an isolated world. Omitted settings come from the default world, and so does the seed (`preset`) if no
 * source is set.
 *
 * @throws FixtureError or OptionError for an invalid source.
 */
export async function toIsolatedOptions(
  { settings = {}, ...source }: Omit<IsolatedWorldSettings, 'idleMs'>,
  { base, readSeed, preset }: DefaultWorld,
): Promise<Pick<WorldOptions, 'maximumGenerated' | 'seed' | keyof DefaultWorld['base']>> {
  const isAsDefault = Object.values(source).every((value) => value === undefined)
  return {
    seed: isAsDefault ? preset : await readSeed(source),
    settings: completeSettings(settings, base.settings),
    readFixtures: isAsDefault
      ? base.readFixtures
      : (fixtures) => {
          const { generate, locale } = source
          return readSeed({ fixtures, ...(generate && { generate, locale }) })
        },
    maximumGenerated: MAXIMUM_GENERATED,
    journalSize: Math.min(base.journalSize, MAXIMUM_JOURNAL),
  }
}
