import { effect } from '@preact/signals'
import { api } from '../api/client.ts'
import { whenOpened } from '../api/key.ts'
import { connection, outdate, revision } from '../api/transport.ts'
import { currentWorld, noteOrigin } from './current-world.ts'
import { followJournal } from './journal-stream.ts'
import { notifyOf } from './notices.ts'
import { listenToDrops, listenToKeys } from './page.ts'
import { takeClock, tick } from './shown-clocks.ts'
import { readPartner, readWorlds } from './world-choice.ts'

/** Between two looks at the clocks when nothing happens: they show whether the server and the world are still there. */
const LOOK_MS = 5000
const TICK_MS = 250

/** Commands that come together are one reason to read everything again. */
const SETTLING_MS = 50

/** Everything that goes on while the page is open. */
export function startSession(): void {
  listenToKeys()
  listenToDrops()
  setInterval(tick, TICK_MS)
  setInterval(() => {
    if (connection.peek() === 'open' && document.visibilityState === 'visible') look()
  }, LOOK_MS)
  revision.subscribe(look)
  effect(() => {
    const controller = new AbortController()
    void follow(currentWorld.value, controller.signal)
    return () => controller.abort()
  })
}

/** Reads what the frame shows, which asks for the key where the server needs one. */
async function readFrame(): Promise<void> {
  await whenOpened()
  await Promise.all([readClock(), readWorlds(), readPartner(), readOrigin()])
}

function look(): void {
  readFrame().then(
    () => (connection.value = 'open'),
    (error: unknown) => {
      if (connection.peek() === 'open') notifyOf(error)
    },
  )
}

/** Only a page that may read the journal itself takes it from another one. */
async function follow(world: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await readClock()
      break
    } catch {
      // `look` reports the error, and the revision changes once the clock can be read again.
      await nextRevision()
    }
  }
  if (!signal.aborted) followJournal(world, signal, outdateSoon)
}

function nextRevision(): Promise<void> {
  const seen = revision.peek()
  return new Promise((resolve) => {
    const stop = effect(() => {
      if (revision.value === seen) return
      resolve()
      queueMicrotask(() => stop())
    })
  })
}

async function readClock(): Promise<void> {
  takeClock(await api.get('/clock'))
}

/** What is done next may be the first step of a test, which begins with such a world. */
async function readOrigin(): Promise<void> {
  const world = currentWorld.peek()
  const origin = await api.get('/origin')
  if (world === currentWorld.peek()) noteOrigin(origin)
}

let isSettling = false

function outdateSoon(): void {
  if (isSettling) return
  isSettling = true
  setTimeout(() => {
    isSettling = false
    outdate()
  }, SETTLING_MS)
}
