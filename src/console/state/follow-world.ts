import { effect } from '@preact/signals'
import { api } from '../api/client.ts'
import { keyPrompt, whenOpened } from '../api/key.ts'
import { connection, outdate, revision } from '../api/transport.ts'
import { currentWorld, setOrigin } from './current-world.ts'
import { followJournal } from './journal-stream.ts'
import { notifyOf } from './notices.ts'
import { listenToDrops, listenToKeys } from './page.ts'
import { takeClock, tick } from './shown-clocks.ts'
import { readPartner, readWorlds } from './world-choice.ts'

/** Interval of the reads that detect the loss of the server or the world. */
const REFRESH_MS = 5000
const TICK_MS = 250

/** Delay of the refresh after a command, so that a burst of commands causes a single refresh. */
const SETTLING_MS = 50

/** Minimum time between two refreshes for commands, in milliseconds. */
const REST_MS = 300

export function startSession(): void {
  listenToKeys()
  listenToDrops()
  setInterval(tick, TICK_MS)
  setInterval(() => {
    const isSeen = document.visibilityState === 'visible' && keyPrompt.peek() === null
    if (isSeen && connection.peek() === 'open') refreshFrame()
  }, REFRESH_MS)
  revision.subscribe(refreshFrame)
  effect(() => {
    const controller = new AbortController()
    void follow(currentWorld.value, controller.signal)
    return () => controller.abort()
  })
}

/** Reads the data of the frame, the clock first, so that a single request prompts for a key if the server needs one. */
async function readFrame(): Promise<void> {
  await whenOpened()
  await readClock()
  await Promise.all([readWorlds(), readPartner(), readOrigin()])
}

function refreshFrame(): void {
  readFrame().then(
    () => (connection.value = 'open'),
    (error: unknown) => {
      if (connection.peek() === 'open') notifyOf(error)
    },
  )
}

/** Follows the journal after a read of the clock has proved that this page has access to the world. */
async function follow(world: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await readClock()
      break
    } catch {
      // `refreshFrame` reports the error. The revision changes after a reconnection or a switch to another world.
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
      stop()
    })
  })
}

async function readClock(): Promise<void> {
  takeClock(await api.get('/clock'))
}

async function readOrigin(): Promise<void> {
  const world = currentWorld.peek()
  const origin = await api.get('/origin')
  if (world === currentWorld.peek()) setOrigin(origin)
}

let isSettling = false
let outdatedMs = -Infinity

function outdateSoon(): void {
  if (isSettling) return
  isSettling = true
  const restMs = outdatedMs + REST_MS - performance.now()
  setTimeout(
    () => {
      isSettling = false
      outdatedMs = performance.now()
      outdate()
    },
    Math.max(SETTLING_MS, restMs),
  )
}
