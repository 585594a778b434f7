const AT_ONCE = 32

/** Calls `run` this many times, some of them at once. */
export async function atOnce(count, run) {
  let next = 0
  const work = async () => {
    while (next < count) {
      next += 1
      await run(next - 1)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}
