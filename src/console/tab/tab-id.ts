/** Where a tab keeps the id of its sandbox, as long as it is open. */
const STORED = 'seo-sandbox.tab'

/** The ids of tabs, which the paths of their report pages begin with. */
const TAB_ID = /^t[0-9a-z]{12}$/

export function isTabId(text: string): boolean {
  return TAB_ID.test(text)
}

/**
 * The id of this tab's sandbox; with `isNew` never the one that it had. A duplicate of a tab has its session storage too, and begins
 * with a sandbox of its own.
 */
export async function takeTabId({ isNew }: { isNew: boolean }): Promise<string> {
  const stored = isNew ? '' : (sessionStorage.getItem(STORED) ?? '')
  if (isTabId(stored) && (await isFree(stored))) return stored
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  const id = `t${Array.from(bytes, (byte) => (byte % 36).toString(36)).join('')}`
  sessionStorage.setItem(STORED, id)
  await isFree(id)
  return id
}

/** How long a page waits for the one that it is loaded in place of. */
const RELOADING_MS = 2000

/** Whether no other tab has this id; this one has it from then on. */
async function isFree(id: string): Promise<boolean> {
  // Only pages of this machine and of HTTPS have locks.
  if (!('locks' in navigator)) return true
  const [{ type }] = performance.getEntriesByType('navigation') as [PerformanceNavigationTiming]
  const how =
    type === 'reload' ? { signal: AbortSignal.timeout(RELOADING_MS) } : { ifAvailable: true }
  return new Promise((resolve) => {
    navigator.locks
      .request(`seo-sandbox ${id}`, how, (lock) => {
        resolve(lock !== null)
        // As long as the page is there.
        return lock && new Promise(() => {})
      })
      .catch(() => resolve(false))
  })
}
