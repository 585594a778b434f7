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

/** Delay of a save after the first change, so that a burst of changes is saved only once. */
const SAVE_DELAY_MS = 500

export class TabSandbox {
  readonly fetch: TabFetch
  readonly #sandbox: Sandbox
  readonly #seed: Seed
  readonly #site: Site
  readonly #id: string
  readonly #saved: SavedWorlds
  #timer: ReturnType<typeof setTimeout> | undefined
  #isSaving = true

  private constructor(sandbox: Sandbox, site: Site, { id, base }: TabPlace) {
    this.#sandbox = sandbox
    this.#site = site
    this.#id = id
    this.#saved = new SavedWorlds(site.digest)
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
      this.#timer ??= setTimeout(() => void tryStorage(this.#save()), SAVE_DELAY_MS)
    }
    sandbox.world.subscribe({ onRequest: saveSoon, onCommand: saveSoon })
  }

  /**
   * Starts the sandbox of a tab with its saved world. Starts with the world of the site if no world is saved, or if the saved one
   * cannot be continued.
   */
  static async start(
    site: Site,
    place: TabPlace,
  ): Promise<{ tab: TabSandbox } & TabCalls['start']['reply']> {
    const create = (): Promise<Sandbox> => createSandbox(site.options)
    const saved = new SavedWorlds(site.digest)
    const entry = await tryStorage(saved.read(place.id))
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
      await saved.forget(place.id)
      return { tab: open(await create()), screen: null, refusal: error.message }
    }
  }

  /**
   * Returns the session of the tab as the fragment of a link, or as a session file if the session exceeds a limit of links.
   *
   * @throws CommandError if the session is no longer kept, and ShareError if no site would accept it
   */
  async share(screen: string): Promise<TabCalls['share']['reply']> {
    const { encodeLink } = await import('../../share/link.ts')
    const link = await encodeLink(await this.#toShared(screen))
    return link === undefined ? { file: JSON.stringify(await this.#sandbox.session()) } : { link }
  }

  /** Stops saving the world. Must be called before the saved world is replaced or deleted. */
  stopSaving(): void {
    this.#isSaving = false
    clearTimeout(this.#timer)
  }

  /** Deletes the saved world, and stops saving. */
  async forget(): Promise<void> {
    this.stopSaving()
    await this.#saved.forget(this.#id)
  }

  async #toShared(screen: string): Promise<SharedSession> {
    const { shareWorld } = await import('../../share/share-world.ts')
    return shareWorld(this.#sandbox, { digest: this.#site.digest, seed: this.#seed, screen })
  }

  async #save(): Promise<void> {
    this.#timer = undefined
    const world = await this.#toSavedWorld()
    if (this.#isSaving) await this.#saved.save(this.#id, { world, nowMs: machineNow() })
  }

  /** Returns the session if it can be shared and is short enough for a quick replay; otherwise a snapshot. */
  async #toSavedWorld(): Promise<SavedWorld> {
    const { sequence } = this.#sandbox.world.journal
    if (sequence <= MAXIMUM_REPLAYED) {
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
const MAXIMUM_REPLAYED = 500

/**
 * Returns the result of a storage operation; undefined if the operation fails. In a browser without storage, a tab therefore starts
 * afresh at each load.
 */
async function tryStorage<Result>(storing: Promise<Result>): Promise<Result | undefined> {
  try {
    return await storing
  } catch (error) {
    if (!(error instanceof DOMException)) reportError(error)
    return undefined
  }
}

/** Continues a saved world as if the tab had stayed open since the save. */
async function continueWorld(
  { world, savedMs, aheadMs }: { world: SavedWorld; savedMs: number; aheadMs: number },
  create: () => Promise<Sandbox>,
): Promise<Sandbox> {
  stopMachineClock(savedMs + aheadMs)
  try {
    return await restore(world, create)
  } finally {
    shiftMachineClock(aheadMs)
  }
}

async function restore(world: SavedWorld, create: () => Promise<Sandbox>): Promise<Sandbox> {
  if ('shared' in world) {
    const { replayShared } = await import('../../share/replay-shared.ts')
    return replayShared(await parseSaved(world.shared), {
      create,
      clock: { stopAt: stopMachineClock, run: runMachineClock },
    })
  }
  const sandbox = await create()
  await sandbox.restore(world.snapshot)
  return sandbox
}

/** @throws ShareError if the format differs, because another release saved the world */
async function parseSaved(saved: SharedSession): Promise<SharedSession> {
  const { parseSharedSession } = await import('../../session/session.ts')
  try {
    return parseSharedSession(saved)
  } catch (error) {
    if (!(error instanceof SessionError)) throw error
    throw new ShareError(OTHER_RELEASE, { cause: error })
  }
}

const OTHER_RELEASE =
  'The world of this tab comes from another release of this site and cannot be continued, so the tab starts afresh.'

/**
 * Reads a shared link or file. `difference` is a warning to show before the content is run; null if no warning is needed.
 *
 * @throws ShareError if the content is damaged, or if it may not be replayed
 */
export async function readSharedText(
  text: SharedText,
  site: Site,
): Promise<{ shared: SharedSession; difference: string | null }> {
  const { compareWithSite } = await import('../../share/link.ts')
  const shared = await parseSharedText(text, site)
  return { shared, difference: compareWithSite(shared, site) ?? null }
}

async function parseSharedText(
  text: SharedText,
  { digest, options }: Site,
): Promise<SharedSession> {
  if ('link' in text) {
    const { decodeLink } = await import('../../share/link.ts')
    return decodeLink(text.link)
  }
  const { readSessionFile } = await import('../../share/share-world.ts')
  const own = await (await createSandbox(options)).session()
  return readSessionFile(text.file, { digest, own })
}

/** The saved world of a tab: its session, or a snapshot if the session is long or cannot be shared. */
export type SavedWorld = { shared: SharedSession } | { snapshot: Snapshot }

interface Entry {
  /** Digest of the site to which the world belongs. */
  digest: string
  /** Time of the last save, in epoch milliseconds on the machine's clock. */
  savedMs: number
  /**
   * Time by which the clock of the tab is ahead of the machine's, in milliseconds. A shared world continues at the time of sharing.
   */
  aheadMs: number
  world: SavedWorld
}

/** Time after the last save at which a world is deleted. Needed because the sandbox does not notice that a tab is closed. */
const RETENTION_MS = 7 * DAY_MS

const STORE = createStore('seo-sandbox', 'worlds')

export class SavedWorlds {
  readonly #digest: string

  constructor(digest: string) {
    this.#digest = digest
  }

  /**
   * Reads the saved world of a tab; undefined if none is saved, or if its digest is not this site's. Before that, deletes all
   * expired worlds.
   */
  async read(id: string): Promise<Omit<Entry, 'digest'> | undefined> {
    for (const [key, { savedMs }] of await entries<string, Entry>(STORE)) {
      if (Date.now() - savedMs > RETENTION_MS) await del(key, STORE)
    }
    const entry = await get<Entry>(id, STORE)
    return entry?.digest === this.#digest ? entry : undefined
  }

  /** Saves the world of a tab. `nowMs` is the time by the tab's machine clock, in epoch milliseconds. */
  save(id: string, { world, nowMs }: { world: SavedWorld; nowMs: number }): Promise<void> {
    const savedMs = Date.now()
    const entry: Entry = { digest: this.#digest, savedMs, aheadMs: nowMs - savedMs, world }
    return set(id, entry, STORE)
  }

  forget(id: string): Promise<void> {
    return del(id, STORE)
  }
}
