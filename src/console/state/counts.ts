import { signal } from '@preact/signals'

/** The figures beside the panels in the navigation, by the id of the panel. A panel or the frame sets its own. */
export const counts = signal<Readonly<Record<string, number>>>({})

export function setCount(panel: string, count: number): void {
  if (counts.peek()[panel] !== count) counts.value = { ...counts.peek(), [panel]: count }
}
