/**
 * What is read again because the world has changed is taken over together, so that nothing is painted partly from before
 * the change and partly from after it.
 */
interface Reading {
  /** Resolves when everything else that is read again is there as well. */
  whenAll: () => Promise<void>
  /** Call it if nothing will come. */
  end: () => void
}

/** How long the others wait for one that does not come. */
const PATIENCE_MS = 5000

let open = 0
let waiting: (() => void)[] = []

/** Called where something is read again. */
export function readAgain(): Reading {
  open += 1
  let isOpen = true
  const end = (): void => {
    clearTimeout(timer)
    if (!isOpen) return
    isOpen = false
    open -= 1
    if (open === 0) release()
  }
  const timer = setTimeout(end, PATIENCE_MS)
  return {
    whenAll: () => {
      const all = whenAllIsRead()
      end()
      return all
    },
    end,
  }
}

/** Resolves when nothing is being read again. */
export function whenAllIsRead(): Promise<void> {
  if (open === 0) return Promise.resolve()
  return new Promise((resolve) => {
    waiting.push(resolve)
  })
}

function release(): void {
  const ready = waiting
  waiting = []
  for (const proceed of ready) proceed()
}
