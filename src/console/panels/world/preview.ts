import { signal } from '@preact/signals'
import { api } from '../../api/client.ts'
import type { Command, Explanation } from '../../api/types.ts'
import { toMinute } from '../../parts/times.ts'
import { clocks, takeClock } from '../../state/clock.ts'
import { notifyOf } from '../../state/notices.ts'

/** A project at a time to which the playhead is moved, before the world clock is. */
export type Preview = ReturnType<typeof createPreview>

/** Sets the world clock; the code panel has that, and how to go back. */
export async function goTo(ms: number, sentence: string): Promise<void> {
  const from = clocks.peek()
  const undo: Command[] = from ? [{ type: 'clock.set', now: toDateTime(from.worldMs) }] : []
  takeClock(await api.command({ type: 'clock.set', now: toDateTime(ms) }, sentence, undo))
}

function toDateTime(ms: number): string {
  return new Date(ms).toISOString()
}

/** A preview asks the server one question at a time: while it answers, only the last time that was wanted counts. */
export function createPreview(project: number) {
  /** In epoch milliseconds; null while the playhead is where the world clock is. */
  const atMs = signal<number | null>(null)
  /** The project at that time, or at the one before it until the server has answered. */
  const explanation = signal<Explanation | null>(null)
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

  /** Goes back to the world clock. */
  function cancel(): void {
    wanted = null
    isCommitted = false
    atMs.value = null
    explanation.value = null
  }

  async function commit(ms: number): Promise<void> {
    isCommitted = true
    try {
      await goTo(ms, `Set the world clock to ${toMinute(ms)}`)
    } catch (error) {
      cancel()
      notifyOf(error)
    }
  }

  return {
    atMs,
    explanation,
    /** Whether a pointer or a key holds the playhead. */
    isHeld: false,
    /** Whether that is a pointer: the timeline scrolls by it alone then. */
    isDragged: false,
    show: (ms: number) => {
      if (isCommitted) cancel()
      atMs.value = ms
      wanted = ms
      void ask()
    },
    cancel,
    /** Sets the world clock to that time. */
    commit: () => {
      const ms = atMs.peek()
      if (ms !== null && !isCommitted) void commit(ms)
    },
  }
}
