import { createStore, del, entries, get, set } from 'idb-keyval'
import { DAY_MS } from '../../contract/time.ts'
import type { SharedSession } from '../../session/session.ts'
import type { Snapshot } from '../../world/snapshot.ts'

/** The world of a tab, for when the tab is loaded again: all that was done in it or, if that was a lot, the state it is in. */
export type KeptWorld = { shared: SharedSession } | { snapshot: Snapshot }

interface Entry {
  /** The digest of the site that the world belongs to. */
  digest: string
  /** When it was saved, by the clock of the machine, in epoch milliseconds. */
  savedMs: number
  /** How far its world was ahead of that clock, in milliseconds: one that was shared continues from when it was shared. */
  aheadMs: number
  world: KeptWorld
}

/** How long after its last use the world of a tab is forgotten: nothing tells when a tab is closed. */
const KEPT_MS = 7 * DAY_MS

const STORE = createStore('seo-sandbox', 'worlds')

/** The worlds that are kept for the tabs of a site. */
export class KeptWorlds {
  readonly #digest: string

  constructor(digest: string) {
    this.#digest = digest
  }

  /** The world of a tab; undefined if it has none of this site. Forgets the worlds of tabs that have not been used for long. */
  async read(id: string): Promise<Omit<Entry, 'digest'> | undefined> {
    for (const [key, { savedMs }] of await entries<string, Entry>(STORE)) {
      if (Date.now() - savedMs > KEPT_MS) await del(key, STORE)
    }
    const entry = await get<Entry>(id, STORE)
    return entry?.digest === this.#digest ? entry : undefined
  }

  /** `nowMs` is what the world uses as the clock of the machine, in epoch milliseconds. */
  save(id: string, { world, nowMs }: { world: KeptWorld; nowMs: number }): Promise<void> {
    const savedMs = Date.now()
    const entry: Entry = { digest: this.#digest, savedMs, aheadMs: nowMs - savedMs, world }
    return set(id, entry, STORE)
  }

  forget(id: string): Promise<void> {
    return del(id, STORE)
  }
}
