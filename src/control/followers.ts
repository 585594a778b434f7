/** Taken at import, so that fake timers of a test cannot hide an error. */
const { queueMicrotask } = globalThis

/**
 * Calls each follower. What one of them throws is thrown again by itself, after whatever is going on: it
 * is neither for the others nor for who made the news.
 */
export function tellEach<News>(followers: Iterable<(news: News) => void>, news: News): void {
  for (const follower of followers) {
    try {
      follower(news)
    } catch (error) {
      queueMicrotask(() => {
        throw error
      })
    }
  }
}
