import { existsSync, readdirSync } from 'node:fs'

/** The clock of one process, moved by libfaketime (Debian: libfaketime). */

const LIBRARY = readdirSync('/usr/lib')
  .map((folder) => `/usr/lib/${folder}/faketime/libfaketime.so.1`)
  .find((file) => existsSync(file))

/**
 * The environment of a process whose clock shows another time. Its monotonic clock, and so its timers, stay correct.
 *
 * @param file A file with the seconds that the clock is ahead, like `+3600`; it is read at each use of the clock.
 * @throws if libfaketime is not installed.
 */
export function clockOf(file) {
  if (LIBRARY === undefined) {
    throw new Error('A clock that is wrong needs libfaketime: apt-get install libfaketime.')
  }
  return {
    // The libc's malloc instead of jemalloc, which reads the clock before libfaketime is ready.
    LD_PRELOAD: `${LIBRARY}:libc.so.6`,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  }
}
