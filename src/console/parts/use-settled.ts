import { useEffect, useState } from 'preact/hooks'

/** How long after the last letter the server is asked. */
const SETTLING_MS = 150

/** A value as it is when it has not changed for a while. */
export function useSettled<Value>(value: Value): Value {
  const [settled, settle] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => settle(value), SETTLING_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
