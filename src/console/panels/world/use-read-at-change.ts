import { useEffect } from 'preact/hooks'
import { clocks } from '../../state/clock.ts'
import { outdate } from '../../state/connection.ts'

/** Reads everything again when the running clock has come to the next of these changes. */
export function useReadAtChange(read: { changes: readonly { at: string }[] } | undefined): void {
  const next = read?.changes[0]?.at
  const nextMs = next === undefined ? Infinity : Date.parse(next)
  const hasCome = (clocks.value?.worldMs ?? 0) >= nextMs
  useEffect(() => {
    if (hasCome) outdate()
  }, [hasCome, nextMs])
}
