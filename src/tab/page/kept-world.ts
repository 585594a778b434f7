import { createStore, del, entries, get, set } from 'idb-keyval'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { Snapshot } from '../../world/snapshot.ts'

/** The world of a tab, for the tab when it is loaded again. */
interface KeptWorld {
  /** Of the site that it is a world of. */
  digest: string
  savedMs: number
  snapshot: Snapshot
}

const DAY_MS = 24 * 60 * 60 * 1000

/** So long after a tab was last used, its world is forgotten: nothing says that a tab is closed. */
const KEPT_MS = 7 * DAY_MS

/** How long after a change its world is saved, so that what comes together is saved once. */
const SAVING_MS = 500

const STORE = createStore('seo-sandbox', 'worlds')

/** Continues the world that a tab had, where that is one of this site; returns whether there was one. */
export async function continueWorld(
  sandbox: Sandbox,
  { id, digest }: { id: string; digest: string },
): Promise<boolean> {
  await forgetOld()
  const kept = await get<KeptWorld>(id, STORE)
  if (kept?.digest !== digest) return false
  await sandbox.restore(kept.snapshot)
  return true
}

/** Saves the world of a tab from now on, soon after each request and command. `onError` is called where that is not possible. */
export function keepWorld(
  sandbox: Sandbox,
  { id, digest, onError }: { id: string; digest: string; onError: (error: unknown) => void },
): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const save = async (): Promise<void> => {
    timer = undefined
    const snapshot = await sandbox.snapshot()
    await set(id, { digest, savedMs: Date.now(), snapshot } satisfies KeptWorld, STORE)
  }
  const saveSoon = (): void => {
    timer ??= setTimeout(() => void save().catch(onError), SAVING_MS)
  }
  sandbox.world.subscribe({ onRequest: saveSoon, onCommand: saveSoon })
}

/** Forgets the world of a tab. */
export function forgetWorld(id: string): Promise<void> {
  return del(id, STORE)
}

async function forgetOld(): Promise<void> {
  for (const [key, { savedMs }] of await entries<string, KeptWorld>(STORE)) {
    if (Date.now() - savedMs > KEPT_MS) await del(key, STORE)
  }
}
