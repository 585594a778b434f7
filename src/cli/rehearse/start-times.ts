import { randomUUID } from 'node:crypto'
import { existsSync, rmSync, writeFileSync } from 'node:fs'

/** Where glibc has semaphores and shared memory. */
const FOLDER = '/dev/shm'

/** A semaphore of glibc that is free: its value, and that it is one of several processes. */
const SEMAPHORE = Int32Array.of(1, 0, 128, 0, 0, 0, 0, 0)

/**
 * Writes when libfaketime began, which it otherwise finds out itself, into the shared memory by which it tells child processes.
 *
 * It takes the time since then, and adds it to the faked date, even for the monotonic clock: an absolute time of that clock is
 * wrong by decades, and `time.sleep` of Python 3.11 and later fails with EINVAL (libfaketime 0.9.10, its issue 426). Were the
 * monotonic clock to begin at the faked date, the sum would be that clock again: so this says that it did.
 *
 * Returns the variable that names what it has written, which lives as long as this process; undefined without shared memory.
 */
export function createStartTimes():
  | ((times: { nowMs: number; atMs: number }) => { FAKETIME_SHARED: string })
  | undefined {
  if (!existsSync(FOLDER)) return undefined
  const name = `seo_sandbox_${randomUUID()}`
  const semaphore = `${FOLDER}/sem.${name}`
  const memory = `${FOLDER}/${name}`
  const remove = (): void => {
    for (const file of [semaphore, memory]) rmSync(file, { force: true })
  }
  process.once('exit', remove)
  return ({ nowMs, atMs }) => {
    // New files, as what an earlier run left behind may still have the old ones open, or have been killed in between.
    remove()
    const [now, at] = [toTimespec(nowMs), toTimespec(atMs)]
    // Two counters, then the date, and the monotonic clock, its raw form, and the one that counts suspension.
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
