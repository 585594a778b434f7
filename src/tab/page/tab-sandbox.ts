import { createStore, del, entries, get, set } from 'idb-keyval'
import { DAY_MS } from '../../contract/time.ts'
import type { Seed } from '../../fixtures/seed.ts'
import { createSandbox } from '../../sandbox/create-sandbox.ts'
import {
  machineNow,
  runMachineClock,
  shiftMachineClock,
  stopMachineClock,
} from '../../sandbox/machine-clock.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { SessionError } from '../../session/session-error.ts'
import type { SharedSession } from '../../session/session.ts'
import { ShareError } from '../../share/share-error.ts'
import { CommandError } from '../../world/command-error.ts'
import type { Snapshot } from '../../world/snapshot.ts'
import type { SharedText, Site, TabCalls, TabPlace } from '../site.ts'
import { createTabFetch } from '../tab-fetch.ts'
import type { TabFetch } from '../tab-fetch.ts'

/** Delay between a change and saving the world, in milliseconds, so that a burst of changes is saved once. */
const SAVING_MS = 500

/** The sandbox of a tab, which can be stored and shared. */
export class TabSandbox {
  readonly fetch: TabFetch
  readonly #sandbox: Sandbox
  readonly #seed: Seed
  readonly #site: Site
  readonly #id: string
  readonly #kept: KeptWorlds
  #timer: ReturnType<typeof setTimeout> | undefined
  #isKept = true

  private constructor(sandbox: Sandbox, site: Site, { id, base }: TabPlace) {
    this.#sandbox = sandbox
    this.#site = site
    this.#id = id
    this.#kept = new KeptWorlds(site.digest)
    this.#seed = sandbox.world.options.seed
    const readDocument = async (name: string): Promise<object> =>
      (await fetch(`${base}/${name}`)).json()
    this.fetch = createTabFetch(sandbox, {
      id,
      base,
      documents: {
        api: () => readDocument('openapi.json'),
        control: () => readDocument('control-openapi.json'),
      },
      onBug: reportError,
    })
    const saveSoon = (): void => {
      this.#timer ??= setTimeout(() => void ifStored(this.#save()), SAVING_MS)
    }
    sandbox.world.subscribe({ onRequest: saveSoon, onCommand: saveSoon })
  }

  /** Starts the sandbox of a tab with its stored world; with the world of the site if there is none or it is refused. */
  static async start(
    site: Site,
    place: TabPlace,
  ): Promise<{ tab: TabSandbox } & TabCalls['start']['reply']> {
    const create = (): Promise<Sandbox> => createSandbox(site.options)
    const kept = new KeptWorlds(site.digest)
    const entry = await ifStored(kept.read(place.id))
    const open = (sandbox: Sandbox): TabSandbox => new TabSandbox(sandbox, site, place)
    if (!entry) return { tab: open(await create()), screen: null, refusal: null }
    try {
      const { world } = entry
      return {
        tab: open(await continueWorld(entry, create)),
        screen: 'shared' in world ? world.shared.site.screen : null,
        refusal: null,
      }
    } catch (error) {
      if (!(error instanceof ShareError || error instanceof CommandError)) throw error
      await kept.forget(place.id)
      return { tab: open(await create()), screen: null, refusal: error.message }
    }
  }

  /**
   * Returns the session of the tab as the fragment of a link, or as a session file if it is too large for a link.
   *
   * @throws ShareError, CommandError
   */
  async share(screen: string): Promise<TabCalls['share']['reply']> {
    const { encodeLink } = await import('../../share/link.ts')
    const link = await encodeLink(await this.#toShared(screen))
    return link === undefined ? { file: JSON.stringify(await this.#sandbox.session()) } : { link }
  }

  /** Stops saving the world. Call this before the stored world is replaced or deleted. */
  stopKeeping(): void {
    this.#isKept = false
    clearTimeout(this.#timer)
  }

  /** Deletes the stored world, and stops saving. */
  async forget(): Promise<void> {
    this.stopKeeping()
    await this.#kept.forget(this.#id)
  }

  async #toShared(screen: string): Promise<SharedSession> {
    const { shareWorld } = await import('../../share/share-world.ts')
    return shareWorld(this.#sandbox, { digest: this.#site.digest, seed: this.#seed, screen })
  }

  async #save(): Promise<void> {
    this.#timer = undefined
    const world = await this.#toKept()
    if (this.#isKept) await this.#kept.save(this.#id, { world, nowMs: machineNow() })
  }

  /** Returns the session if it can be shared and is short enough to replay unnoticed; otherwise a snapshot. */
  async #toKept(): Promise<KeptWorld> {
    const { sequence } = this.#sandbox.world.journal
    if (sequence <= MOST_STEPS) {
      try {
        return { shared: await this.#toShared('') }
      } catch (error) {
        if (!(error instanceof ShareError || error instanceof CommandError)) throw error
      }
    }
    return { snapshot: await this.#sandbox.snapshot() }
  }
}

/** Maximum number of requests and commands to replay when a tab is reloaded. */
const MOST_STEPS = 500

/** Awaits a storage operation; undefined if it fails. In a browser without storage, the tab begins anew at each load. */
async function ifStored<Result>(storing: Promise<Result>): Promise<Result | undefined> {
  try {
    return await storing
  } catch (error) {
    if (!(error instanceof DOMException)) reportError(error)
    return undefined
  }
}

/** Continues a stored world. The time since it was saved passes in the world too. */
async function continueWorld(
  { world, savedMs, aheadMs }: { world: KeptWorld; savedMs: number; aheadMs: number },
  create: () => Promise<Sandbox>,
): Promise<Sandbox> {
  stopMachineClock(savedMs + aheadMs)
  try {
    return await restore(world, create)
  } finally {
    shiftMachineClock(aheadMs)
  }
}

async function restore(world: KeptWorld, create: () => Promise<Sandbox>): Promise<Sandbox> {
  if ('shared' in world) {
    const { replayShared } = await import('../../share/replay-shared.ts')
    return replayShared(await readKept(world.shared), {
      create,
      clock: { stopAt: stopMachineClock, run: runMachineClock },
    })
  }
  const sandbox = await create()
  await sandbox.restore(world.snapshot)
  return sandbox
}

/** @throws ShareError if the format differs, because another release stored the world */
async function readKept(kept: SharedSession): Promise<SharedSession> {
  const { parseSharedSession } = await import('../../session/session.ts')
  try {
    return parseSharedSession(kept)
  } catch (error) {
    if (!(error instanceof SessionError)) throw error
    throw new ShareError(OTHER_RELEASE, { cause: error })
  }
}

const OTHER_RELEASE =
  'The world of this tab comes from another release of this site and cannot be continued, so the tab starts afresh.'

/**
 * Reads a shared link or file. `difference` is a warning to show before the content runs; null if no warning is needed.
 *
 * @throws ShareError
 */
export async function readSharedText(
  given: SharedText,
  site: Site,
): Promise<{ shared: SharedSession; difference: string | null }> {
  const { compareWithSite } = await import('../../share/link.ts')
  const shared = await readGiven(given, site)
  return { shared, difference: compareWithSite(shared, site) ?? null }
}

async function readGiven(given: SharedText, { digest, options }: Site): Promise<SharedSession> {
  if ('link' in given) {
    const { decodeLink } = await import('../../share/link.ts')
    return decodeLink(given.link)
  }
  const { readSessionFile } = await import('../../share/share-world.ts')
  const own = await (await createSandbox(options)).session()
  return readSessionFile(given.file, { digest, own })
}

/** The stored world of a tab: its session, or a snapshot if the session is long or cannot be shared. */
export type KeptWorld = { shared: SharedSession } | { snapshot: Snapshot }

interface Entry {
  /** Digest of the site to which the world belongs. */
  digest: string
  /** Time of the last save, in epoch milliseconds on the machine's clock. */
  savedMs: number
  /** Offset of the world's time from the machine's clock, in milliseconds: a shared world continues at the time of sharing. */
  aheadMs: number
  world: KeptWorld
}

/** Time for which a world is stored after its last save, in milliseconds. The closing of a tab goes unnoticed. */
const KEPT_MS = 7 * DAY_MS

const STORE = createStore('seo-sandbox', 'worlds')

export class KeptWorlds {
  readonly #digest: string

  constructor(digest: string) {
    this.#digest = digest
  }

  /**
   * Reads the stored world of a tab; undefined if none with the digest of this site is stored. First deletes all worlds that were
   * last saved more than `KEPT_MS` ago.
   */
  async read(id: string): Promise<Omit<Entry, 'digest'> | undefined> {
    for (const [key, { savedMs }] of await entries<string, Entry>(STORE)) {
      if (Date.now() - savedMs > KEPT_MS) await del(key, STORE)
    }
    const entry = await get<Entry>(id, STORE)
    return entry?.digest === this.#digest ? entry : undefined
  }

  /** Saves the world of a tab. `nowMs` is the time at which the world continues, in epoch milliseconds. */
  save(id: string, { world, nowMs }: { world: KeptWorld; nowMs: number }): Promise<void> {
    const savedMs = Date.now()
    const entry: Entry = { digest: this.#digest, savedMs, aheadMs: nowMs - savedMs, world }
    return set(id, entry, STORE)
  }

  forget(id: string): Promise<void> {
    return del(id, STORE)
  }
}
