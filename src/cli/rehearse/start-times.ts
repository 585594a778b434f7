import { randomUUID } from 'node:crypto'
import { existsSync, rmSync, writeFileSync } from 'node:fs'

/** Where glibc has semaphores and shared memory. */
const FOLDER = '/dev/shm'

/** A semaphore of glibc for several processes, which is free. */
const SEMAPHORE = Int32Array.of(1, 0, 128, 0, 0, 0, 0, 0)

/**
 * Tells libfaketime when it began, in the shared memory in which it tells child processes so.
 *
 * It fakes a time by adding to the faked date what has passed since then. It does so even with an absolute time of the monotonic
 * clock, which then is wrong by decades: `time.sleep` of Python 3.11 and later fails with EINVAL (issue 426, in the version
 * 0.9.10 that Debian has). As if the monotonic clock had begun at the faked date, the sum is what that clock shows.
 *
 * Returns a function that writes the times for a run, and returns the variable that names them. They last until the next run, or
 * this process ends.
 */
export function createStartTimes(): (times: { nowMs: number; atMs: number }) => NodeJS.ProcessEnv {
  if (!existsSync(FOLDER)) return () => ({})
  const name = `seo_sandbox_${randomUUID()}`
  const semaphore = `${FOLDER}/sem.${name}`
  const memory = `${FOLDER}/${name}`
  const remove = (): void => {
    for (const file of [semaphore, memory]) rmSync(file, { force: true })
  }
  process.once('exit', remove)
  return ({ nowMs, atMs }) => {
    // A process that was killed may have left the semaphore taken.
    remove()
    const [now, at] = [toTimespec(nowMs), toTimespec(atMs)]
    // After two counters: of the date, and of the monotonic, the raw monotonic and the boot-time clock.
    const times = BigInt64Array.of(0n, 0n, ...now, ...at, ...at, ...at)
    writeFileSync(semaphore, SEMAPHORE, { flag: 'wx', mode: 0o600 })
    writeFileSync(memory, times, { flag: 'wx', mode: 0o600 })
    return { FAKETIME_SHARED: `/${name} /${name}` }
  }
}

/** Seconds and nanoseconds. */
function toTimespec(ms: number): [bigint, bigint] {
  const seconds = Math.floor(ms / 1000)
  return [BigInt(seconds), BigInt(Math.round((ms - seconds * 1000) * 1e6))]
}
