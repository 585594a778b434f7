import { signal } from '@preact/signals'
import { toMinute, DAY_MS } from '../../../wording/times.ts'
import { api } from '../../api/client.ts'
import type { Explanation } from '../../api/types.ts'
import { notifyOf } from '../../state/notices.ts'

/** A project at another time, shown before the world clock is set to that time. */
export type Preview = ReturnType<typeof createPreview>

export async function goTo(ms: number, sentence: string): Promise<void> {
  await api.command({ type: 'clock.set', now: new Date(ms).toISOString() }, sentence)
}

/** Creates a preview of a project. Explanations are requested one at a time, each for the latest chosen time. */
export function createPreview(project: number) {
  /** Previewed time in epoch milliseconds; null while the time of the world clock is shown. */
  const atMs = signal<number | null>(null)
  /**
   * Explanation of the project at the previewed time; until it arrives, the explanation for the previously chosen time, or null
   * if there is none.
   */
  const explanation = signal<Explanation | null>(null)
  /** True if the preview stays when the pointer leaves. */
  const isPinned = signal(false)
  let wanted: number | null = null
  let isAsking = false
  let isCommitted = false

  async function ask(): Promise<void> {
    if (isAsking) return
    isAsking = true
    try {
      while (wanted !== null) {
        const at = new Date(wanted).toISOString()
        wanted = null
        const answer = await api.get(`/explain/projects/${project}`, { at, changes: 0 })
        if (atMs.peek() !== null) explanation.value = answer
      }
    } catch (error) {
      cancel()
      notifyOf(error)
    } finally {
      isAsking = false
    }
  }

  function show(ms: number): void {
    atMs.value = ms
    wanted = ms
    void ask()
  }

  function cancel(): void {
    wanted = null
    isCommitted = false
    isPinned.value = false
    preview.heldBy = undefined
    atMs.value = null
    explanation.value = null
  }

  const preview = {
    atMs,
    explanation,
    isPinned,
    /** Input that pinned the preview; undefined unless pinned. The timeline scrolls to the preview only if `keys` pinned it. */
    heldBy: undefined as 'keys' | 'click' | 'drag' | undefined,
    /** Previews the time under a pointer, unless the preview is pinned. */
    look: (ms: number) => {
      if (!isPinned.peek() && atMs.peek() !== ms) show(ms)
    },
    /** Ends the preview unless it is pinned. Call this when the pointer leaves, or returns to the day of the world clock. */
    leave: () => {
      if (!isPinned.peek()) cancel()
    },
    /** Previews a time until another time is pinned or the preview ends. */
    pin: (ms: number, heldBy: 'keys' | 'click' | 'drag') => {
      const isThere = isPinned.peek() && atMs.peek() === ms
      isCommitted = false
      isPinned.value = true
      preview.heldBy = heldBy
      if (!isThere) show(ms)
    },
    /** Updates the preview after a change of the world: ends it if it has been committed, otherwise reads it again. */
    refresh: () => {
      const ms = atMs.peek()
      if (ms === null || isCommitted) cancel()
      else show(ms)
    },
    cancel,
    commit: async () => {
      const ms = atMs.peek()
      if (ms === null || isCommitted) return
      isCommitted = true
      try {
        await goTo(ms, `Set the world clock to ${toMinute(ms)}`)
      } catch (error) {
        cancel()
        notifyOf(error)
      }
    },
  }
  return preview
}

export function addDays(ms: number, days: number): number {
  return ms + days * DAY_MS
}

/** Adds a number of UTC calendar months. If the resulting month lacks the day, returns the last day of that month. */
export function addMonths(ms: number, months: number): number {
  const date = new Date(ms)
  const day = date.getUTCDate()
  date.setUTCMonth(date.getUTCMonth() + months)
  if (date.getUTCDate() !== day) date.setUTCDate(0)
  return date.getTime()
}

/** Returns the start of the UTC day of a time, in epoch milliseconds. */
export function toMidnight(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS
}
