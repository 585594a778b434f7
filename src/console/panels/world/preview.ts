import { signal } from '@preact/signals'
import { toMinute, DAY_MS } from '../../../wording/times.ts'
import { api } from '../../api/client.ts'
import type { Explanation } from '../../api/types.ts'
import { notifyOf } from '../../state/notices.ts'

/** A project at a time that is looked at, before the world clock is set to it. */
export type Preview = ReturnType<typeof createPreview>

/** Sets the world clock; the code panel has that. */
export async function goTo(ms: number, sentence: string): Promise<void> {
  await api.command({ type: 'clock.set', now: toDateTime(ms) }, sentence)
}

function toDateTime(ms: number): string {
  return new Date(ms).toISOString()
}

/** A preview asks the server one question at a time: while it answers, only the last time that was wanted counts. */
export function createPreview(project: number) {
  /** In epoch milliseconds; null while nothing but the world clock's own time is looked at. */
  const atMs = signal<number | null>(null)
  /** The project at that time, or at the one before it until the server has answered. */
  const explanation = signal<Explanation | null>(null)
  /** Whether it stays when the pointer leaves: the playhead stands there. */
  const isPinned = signal(false)
  let wanted: number | null = null
  let isAsking = false
  let isCommitted = false

  async function ask(): Promise<void> {
    if (isAsking) return
    isAsking = true
    try {
      while (wanted !== null) {
        const at = toDateTime(wanted)
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

  /** Goes back to the world clock. */
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
    /** What holds the playhead there: with a pointer in it, the timeline does not scroll by itself. */
    heldBy: undefined as 'keys' | 'click' | 'drag' | undefined,
    /** Shows a time that a pointer is over. */
    look: (ms: number) => {
      if (!isPinned.peek() && atMs.peek() !== ms) show(ms)
    },
    /** Call it when the pointer is no longer over another time. */
    leave: () => {
      if (!isPinned.peek()) cancel()
    },
    /** Shows a time until another one is chosen, or `cancel`. */
    pin: (ms: number, heldBy: 'keys' | 'click' | 'drag') => {
      const isThere = isPinned.peek() && atMs.peek() === ms
      isCommitted = false
      isPinned.value = true
      preview.heldBy = heldBy
      if (!isThere) show(ms)
    },
    /** The world has changed: what was previewed is in force now, or something else is to be previewed. */
    refresh: () => {
      const ms = atMs.peek()
      if (ms === null || isCommitted) cancel()
      else show(ms)
    },
    cancel,
    /** Sets the world clock to that time. */
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

/** A time a number of days later, at the same time of the day. */
export function addDays(ms: number, days: number): number {
  return ms + days * DAY_MS
}

/** A time a number of calendar months later; the last day of a month that has no such day. */
export function addMonths(ms: number, months: number): number {
  const date = new Date(ms)
  const day = date.getUTCDate()
  date.setUTCMonth(date.getUTCMonth() + months)
  if (date.getUTCDate() !== day) date.setUTCDate(0)
  return date.getTime()
}

/** The beginning of a time's day. */
export function toMidnight(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS
}
