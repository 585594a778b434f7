const CATEGORIES = ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline']

/**
 * The longest task of a page's own thread during some work, in milliseconds of the thread's time (`tdur`), which other processes
 * of the machine do not lengthen.
 */
export async function measureLongestTask(browser, page, work) {
  await browser.startTracing(page, { categories: CATEGORIES })
  await work(page)
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString())
  const threads = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  )
  const tasks = traceEvents.filter(
    ({ name, ph, pid, tid }) =>
      ph === 'X' && name.endsWith('RunTask') && threads.has(`${pid} ${tid}`),
  )
  if (tasks.length === 0) throw new Error('The trace has no task of the page.')
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000
}
