import { MemoryUse } from '../contract/memory-use.ts'
import { createBodyCache } from './body-cache.ts'
import { createListCache } from './derived-lists.ts'
import { ProjectSearch } from './search-text.ts'

/** What engines keep until the records change. Those with other policies over the same records may share it. */
export interface EngineCaches {
  /** The memory they take. */
  memory: MemoryUse
  bodies: ReturnType<typeof createBodyCache>
  lists: ReturnType<typeof createListCache>
  search: ProjectSearch
}

/** Empties caches, which fill again when they are next needed. */
export function clearCaches({ bodies, lists, search }: EngineCaches): void {
  for (const cache of [bodies, lists, search]) cache.clear()
}

export function createCaches(): EngineCaches {
  const memory = new MemoryUse()
  const search = new ProjectSearch(memory)
  return { memory, bodies: createBodyCache(memory), lists: createListCache(memory), search }
}
