import { createBodyCache } from './body-cache.ts'
import { createListCache } from './derived-lists.ts'
import { ProjectSearch } from './search-text.ts'

/** What engines keep until the records change. Those with other policies over the same records may share it. */
export interface EngineCaches {
  bodies: ReturnType<typeof createBodyCache>
  lists: ReturnType<typeof createListCache>
  search: ProjectSearch
}

export function createCaches(): EngineCaches {
  return { bodies: createBodyCache(), lists: createListCache(), search: new ProjectSearch() }
}
