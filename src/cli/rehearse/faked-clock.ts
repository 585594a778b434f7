import { existsSync, readdirSync } from 'node:fs'
import { withoutControls } from '../../contract/describe.ts'
import { OptionError } from '../../world/option-error.ts'
import { findObstacle } from './elf.ts'
import { findClient } from './find-client.ts'
import type { Client } from './find-client.ts'
import { tryClock } from './runtime-probes.ts'
import type { Trial } from './runtime-probes.ts'
import { createStartTimes } from './start-times.ts'

/** What has the clock of a command shifted. */
export interface FakedClock {
  /** The variables of a run that begins at `atMs` of its own clock, in epoch milliseconds; to be asked for anew for each run. */
  environmentAt(atMs: number): NodeJS.ProcessEnv
}

/** Where distributions have it: Debian for each architecture, others for one or two. */
const FOLDERS = ['/usr/lib', '/usr/lib64']

/** ld.so replaces `$LIB` by the folder of the program's architecture, and so finds the right one of several. */
const LIBRARY = '/usr/$LIB/faketime/libfaketime.so.1'

const SETTINGS = {
  // At rate 1 only the date has to be faked: what waits for the monotonic clock goes to the kernel, past libfaketime.
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
  // Otherwise `pthread_cond_timedwait` is given a time of the faked monotonic clock all the same.
  FAKETIME_FORCE_MONOTONIC_FIX: '0',
  // Only PHP and Ruby would see other times of files. With the true ones, caches such as Python's stay valid.
  NO_FAKE_STAT: '1',
}

/**
 * Finds out whether and how the clock of a command can be faked, by running a few lines in its runtime. A command that there
 * is not is left to fail when it is started.
 *
 * @throws OptionError in one sentence
 */
export async function probeClock(
  line: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<FakedClock> {
  const clock = createClock(requireLibrary(env), env)
  const client = findClient(line, env)
  if (client === undefined) return clock
  const obstacle = findObstacle(client.file)
  if (obstacle !== undefined) throw refuse(`${client.file} ${obstacle}: ${OTHERWISE}`)
  if (client.runtime !== undefined) await requireShift(client, { clock, env })
  return clock
}

const OTHERWISE = 'use --client-clock env or none'

/** @throws OptionError where there is none */
export function requireLibrary(
  env: NodeJS.ProcessEnv,
  { platform = process.platform as string, folders = FOLDERS } = {},
): string {
  if (platform !== 'linux')
    throw refuse(`libfaketime shifts the clocks of programs on Linux, not on ${platform}: ${OTHERWISE}`)
  if (hasOwn(env)) return ''
  const places = folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => [folder, ...readdirSync(folder).map((name) => `${folder}/${name}`)])
  if (places.some((place) => existsSync(`${place}/faketime/libfaketime.so.1`))) return LIBRARY
  throw refuse(
    `There is no libfaketime in ${folders.join(' or ')}: install it (Debian and Ubuntu: apt-get install libfaketime), or ${OTHERWISE}`,
  )
}

/** Whether the user preloads a libfaketime from elsewhere. */
function hasOwn(env: NodeJS.ProcessEnv): boolean {
  return env['LD_PRELOAD']?.includes('libfaketime') ?? false
}

function createClock(library: string, env: NodeJS.ProcessEnv): FakedClock {
  const startTimes = createStartTimes()
  const preloaded = [env['LD_PRELOAD'] ?? '', library].filter((name) => name !== '')
  return {
    environmentAt: (atMs) => {
      const nowMs = Date.now()
      return {
        ...SETTINGS,
        // With libc's malloc before jemalloc, which reads the clock before libfaketime is ready.
        LD_PRELOAD: [...preloaded, 'libc.so.6'].join(':'),
        FAKETIME: toOffset(atMs - nowMs),
        ...startTimes?.({ nowMs, atMs }),
      }
    },
  }
}

/** Seconds, as `+17280000.250`. */
function toOffset(ms: number): string {
  return `${ms < 0 ? '-' : '+'}${(Math.abs(ms) / 1000).toFixed(3)}`
}

/** Far enough that nothing can be taken for it, in milliseconds. */
const TRIED_MS = 200 * 24 * 3_600_000

/** How far from the right date it may be, as on a busy machine. */
const TOLERANCE_MS = 30_000

/** A sleep of a second that is shorter than this was none. */
const LEAST_SLEEP_MS = 900

async function requireShift(
  client: Client,
  { clock, env }: { clock: FakedClock; env: NodeJS.ProcessEnv },
): Promise<void> {
  const begunMs = Date.now()
  const variables = clock.environmentAt(begunMs + TRIED_MS)
  const trial = await tryClock(client, { ...env, ...variables })
  const problem = findProblem(trial, begunMs)
  if (problem === undefined) return
  const said = trial.said === '' ? '' : ` ("${trial.said}")`
  throw refuse(`${client.file}, tried with libfaketime, ${problem}${said}: ${OTHERWISE}`)
}

function findProblem({ told: [first, second] }: Trial, begunMs: number): string | undefined {
  if (first === undefined) return 'does not tell the date'
  if (Math.abs(first.toldMs - first.atMs - TRIED_MS) > TOLERANCE_MS) return 'has another date'
  if (second === undefined) return 'does not wake up from a sleep of a second'
  const slept = Math.min(second.toldMs - first.toldMs, second.atMs - first.atMs)
  if (slept < LEAST_SLEEP_MS) return 'wakes up from a sleep of a second too early'
  return undefined
}

function refuse(sentence: string): OptionError {
  return new OptionError(withoutControls(`--client-clock faketime: ${sentence}.`))
}
