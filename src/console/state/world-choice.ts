import { signal, computed } from '@preact/signals'
import { DAY_MS } from '../../wording/times.ts'
import { orNull } from '../api/api-error.ts'
import { api } from '../api/client.ts'
import { ownWorld } from '../api/key.ts'
import type { OwnPartner } from '../api/types.ts'
import { currentWorld, DEFAULT_WORLD } from './current-world.ts'

/** Maximum number of worlds listed: nobody finds anything in a longer list, and *Partners* searches all of them. */
const LISTED = 200

/** The isolated worlds, the oldest first, each with the name of its partner; undefined for a world of nobody. */
const isolated = signal<ReadonlyMap<string, string | undefined>>(new Map())

export async function readWorlds(): Promise<void> {
  if (ownWorld.peek() !== undefined) return
  // With a partner's key, entered meanwhile, the server lists no worlds.
  const list = await orNull(
    api.get('/worlds', { limit: LISTED }),
    () => ownWorld.peek() !== undefined,
  )
  if (!list) return
  const { worlds } = list
  const read = new Map(worlds.map(({ id, partner }) => [id, partner]))
  const current = currentWorld.peek()
  if (current !== DEFAULT_WORLD && !read.has(current)) {
    read.set(current, await readName())
  }
  if ([...read].join() !== [...isolated.peek()].join()) isolated.value = read
}

/** Returns the partner of an isolated world; undefined if it belongs to nobody, and until it has been read. */
export function partnerOf(id: string): string | undefined {
  return isolated.value.get(id)
}

/** Returns the displayed name of an isolated world. */
export function worldName(id: string): string {
  const owner = partnerOf(id)
  return owner === undefined ? `World ${id}` : `World of ${owner}`
}

/** Returns the name of the partner whose world is shown; undefined if it belongs to nobody. */
async function readName(): Promise<string | undefined> {
  const partner = await orNull(api.get('/partner'), () => true)
  return partner?.name
}

/** Worlds to choose from, the default one first: the id and displayed name of each. */
export function worldsToChoose(): (readonly [id: string, name: string])[] {
  const { value: current } = currentWorld
  if (ownWorld.value !== undefined) return [[ownWorld.value, '']]
  const ids = new Set([DEFAULT_WORLD, ...isolated.value.keys(), current])
  return [...ids].map((id) => [id, id === DEFAULT_WORLD ? 'Default world' : worldName(id)])
}

const lastRead = signal<OwnPartner | undefined>(undefined)

/** Owner of the world whose key this page has; undefined without such a key, and until the owner has been read. */
export const partner = computed(() =>
  lastRead.value?.world === ownWorld.value ? lastRead.value : undefined,
)

export async function readPartner(): Promise<void> {
  if (ownWorld.peek() === undefined) return
  // The store may have lost the partner.
  const read = await orNull(api.get('/partner'), ({ code }) => code === 'partner_not_found')
  const known = partner.peek()
  if (read?.world !== known?.world || read?.expires_at !== known?.expires_at)
    lastRead.value = read ?? undefined
}

const LAST_DAYS = 7

/**
 * Returns the days left until a world expires, rounded up, 0 to `LAST_DAYS`; undefined before its last week. Uses the page's
 * own clock, because the clocks of the world may stand elsewhere.
 */
export function daysLeft({ expires_at: expiresAt }: OwnPartner): number | undefined {
  const days = Math.ceil((Date.parse(expiresAt) - Date.now()) / DAY_MS)
  return days <= LAST_DAYS ? Math.max(days, 0) : undefined
}
