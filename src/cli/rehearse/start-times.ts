import { randomUUID } from 'node:crypto'
import { existsSync, rmSync, writeFileSync } from 'node:fs'

/** Where glibc keeps semaphores and shared memory. */
const FOLDER = '/dev/shm'

const NAME = `seo_sandbox_${randomUUID()}`
const FILES = { semaphore: `${FOLDER}/sem.${NAME}`, memory: `${FOLDER}/${NAME}` }

/** A free 64-bit semaphore of glibc that processes can share. */
const SEMAPHORE = Int32Array.of(1, 0, 128, 0, 0, 0, 0, 0)

/**
 * Tells libfaketime when it began, in the shared memory through which it tells its child processes. Returns the variable that names
 * that memory, which lasts until this is called again, or this process ends.
 *
 * libfaketime before 0.9.11 treats an absolute time as one of the faked clock even where the monotonic clock is not faked: it adds
 * what has passed on that clock since it began to the faked date, and `time.sleep` of Python 3.11 and later fails with EINVAL. If
 * it believes that the monotonic clock was at the faked date when it began, the sum is what that clock shows.
 */
export function writeStartTimes({
  nowMs,
  atMs,
}: {
  /** The true date, and the faked one, in epoch milliseconds. */
  nowMs: number
  atMs: number
}): NodeJS.ProcessEnv {
  if (!existsSync(FOLDER)) return {}
  process.off('exit', removeStartTimes).once('exit', removeStartTimes)
  // A process that was killed may have left the semaphore taken.
  removeStartTimes()
  const [now, at] = [toTimespec(nowMs), toTimespec(atMs)]
  // Two counters; then the date, and the monotonic, the raw monotonic and the boot-time clock.
  const times = BigInt64Array.of(0n, 0n, ...now, ...at, ...at, ...at)
  writeFileSync(FILES.semaphore, SEMAPHORE, { flag: 'wx', mode: 0o600 })
  writeFileSync(FILES.memory, times, { flag: 'wx', mode: 0o600 })
  return { FAKETIME_SHARED: `/${NAME} /${NAME}` }
}

/** For a process that ends without an `exit` event, such as one of vitest. */
export function removeStartTimes(): void {
  for (const file of Object.values(FILES)) rmSync(file, { force: true })
}

/** Seconds and nanoseconds. */
function toTimespec(ms: number): [bigint, bigint] {
  const seconds = Math.floor(ms / 1000)
  return [BigInt(seconds), BigInt(Math.round((ms - seconds * 1000) * 1e6))]
}
