import { useEffect } from 'preact/hooks'
import type { Explanation } from '../../api/types.ts'
import { clocks } from '../../state/clock.ts'
import { outdate } from '../../state/connection.ts'

/** Reads everything again when the running clock has come to the next change. */
export function useReadAtChange(explanation: Explanation | undefined): void {
  const next = explanation?.changes[0]?.at
  const nextMs = next === undefined ? Infinity : Date.parse(next)
  const hasCome = (clocks.value?.worldMs ?? 0) >= nextMs
  useEffect(() => {
    if (hasCome) outdate()
  }, [hasCome, nextMs])
}
