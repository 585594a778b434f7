import { existsSync, readdirSync } from 'node:fs'
import { withoutControls } from '../../contract/describe.ts'
import { OptionError } from '../../world/option-error.ts'
import { findObstacle } from './elf.ts'
import { findClient } from './find-client.ts'
import { tryClock } from './runtime-probes.ts'
import type { Trial } from './runtime-probes.ts'
import { writeStartTimes } from './start-times.ts'

/** Shifts the clock of a command. */
export interface FakedClock {
  /** The variables of a run that begins now, at `atMs` of its own clock, in epoch milliseconds. The run before must have ended. */
  environmentAt: (atMs: number) => NodeJS.ProcessEnv
}

/** Settings that are right for all runtimes and dates, with libfaketime 0.9.8 to 0.9.12. */
const SETTINGS = {
  // At rate 1 only the date has to be faked. Code that waits for the monotonic clock often asks the kernel itself, as in C++ and Rust.
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
  // Otherwise `pthread_cond_timedwait` adds the faked monotonic clock all the same: Java hangs, and others wait busily.
  FAKETIME_FORCE_MONOTONIC_FIX: '0',
  // The times of files stay true, for caches such as git's; only some runtimes would see faked ones, such as PHP and Ruby.
  NO_FAKE_STAT: '1',
  // From 0.9.11 on it needs no shared memory. Processes that were killed leave files of it behind, which may stop others.
  FAKETIME_DISABLE_SHM: '1',
}

/**
 * Finds out whether the clock of a command can be faked, by having its runtime tell the date and sleep. Any other program is
 * accepted unless its file says that it cannot be; a command that does not exist fails when it is started.
 *
 * @throws OptionError in one sentence
 */
export async function probeClock(
  line: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<FakedClock> {
  const clock = createClock([env['LD_PRELOAD'] ?? [], findLibrary(env)].flat())
  const client = findClient(line, env)
  if (client === undefined) return clock
  const obstacle = findObstacle(client.file)
  if (obstacle !== undefined) throw refuse(`${client.file} ${obstacle}: ${WAY_OUT}`)
  const { file, start, runtime } = client
  if (runtime === undefined) return clock

  const shiftedMs = Date.now() + SHIFT_MS
  const trial = await tryClock({ start, runtime }, { ...env, ...clock.environmentAt(shiftedMs) })
  const problem = findProblem(trial)
  if (problem === undefined) return clock
  const said = trial.said === '' ? '' : ` (it said: ${trial.said})`
  throw refuse(`${file} ${problem} with libfaketime${said}: ${WAY_OUT}`)
}

const WAY_OUT = 'use --client-clock env or none'

function refuse(sentence: string): OptionError {
  return new OptionError(withoutControls(`--client-clock faketime: ${sentence}.`))
}

function createClock(libraries: readonly string[]): FakedClock {
  return {
    environmentAt: (atMs) => {
      const nowMs = Date.now()
      return {
        ...SETTINGS,
        // libc for its malloc: jemalloc, as in Redis, reads the clock before libfaketime is ready.
        LD_PRELOAD: [...libraries, 'libc.so.6'].join(':'),
        FAKETIME: toOffset(atMs - nowMs),
        ...writeStartTimes({ nowMs, atMs }),
      }
    },
  }
}

/** Seconds, as `+17280000.250`. */
function toOffset(ms: number): string {
  return `${ms < 0 ? '-' : '+'}${(Math.abs(ms) / 1000).toFixed(3)}`
}

/** Distributions put it into a folder `faketime`, in one of these or in a folder within them. */
const FOLDERS = ['/usr/lib', '/usr/lib64']

/** ld.so replaces `$LIB` with the library folder of a program's architecture. */
const LIBRARY = '/usr/$LIB/faketime/libfaketime.so.1'

/** What to preload; nothing where the user preloads a libfaketime from elsewhere. */
export function findLibrary(
  env: NodeJS.ProcessEnv,
  { platform = process.platform, folders = FOLDERS } = {},
): string[] {
  if (platform !== 'linux')
    throw refuse(
      `libfaketime shifts the clock of programs on Linux, and this is ${platform}: ${WAY_OUT}`,
    )
  if (env['LD_PRELOAD']?.includes('libfaketime')) return []
  const files = folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => ['', ...readdirSync(folder)].map((name) => `${folder}/${name}`))
    .map((folder) => `${folder}/faketime/libfaketime.so.1`)
  if (files.some((file) => existsSync(file))) return [LIBRARY]
  throw refuse(
    `there is no libfaketime in ${folders.join(' or ')}: install it (Debian and Ubuntu: apt-get install libfaketime), or ${WAY_OUT}`,
  )
}

/** How far the date is shifted for a trial: too far to be right by chance. */
const SHIFT_MS = 200 * 24 * 3_600_000

/** How late a busy machine may deliver a date, in milliseconds. */
const TOLERANCE_MS = 30_000

/** What a sleep of a second takes at least, in milliseconds. */
const LEAST_SLEEP_MS = 900

function findProblem({ begunMs, told: [first, second] }: Trial): string | undefined {
  if (first === undefined) return 'does not tell the date'
  if (Math.abs(first.toldMs - first.atMs - SHIFT_MS) > TOLERANCE_MS) return 'keeps its date'
  if (second === undefined) return 'does not get through a sleep of a second'
  const sleptMs = Math.min(second.toldMs - first.toldMs, second.atMs - begunMs)
  return sleptMs < LEAST_SLEEP_MS ? 'wakes up from a sleep of a second too early' : undefined
}
