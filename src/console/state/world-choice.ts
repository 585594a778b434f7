import { signal, computed } from '@preact/signals'
import { DAY_MS } from '../../wording/times.ts'
import { orNull } from '../api/api-error.ts'
import { api } from '../api/client.ts'
import { keyWorld } from '../api/key.ts'
import type { OwnPartner } from '../api/types.ts'
import { currentWorld, DEFAULT_WORLD } from './current-world.ts'

/** Name of the partner of each isolated world, by world id, the oldest world first; undefined for a world without a partner. */
const partnerNames = signal<ReadonlyMap<string, string | undefined>>(new Map())

export async function readWorlds(): Promise<void> {
  if (keyWorld.peek() !== undefined) return
  // If a partner's key has been entered meanwhile, the server lists no worlds.
  const list = await orNull(
    // Nobody would find a world in a longer list, and the Partners panel has a search.
    api.get('/worlds', { limit: 200 }),
    () => keyWorld.peek() !== undefined,
  )
  if (!list) return
  const { worlds } = list
  const read = new Map(worlds.map(({ id, partner }) => [id, partner]))
  const current = currentWorld.peek()
  if (current !== DEFAULT_WORLD && !read.has(current)) {
    const owner = await orNull(api.get('/partner'), () => true)
    read.set(current, owner?.name)
  }
  if ([...read].join() !== [...partnerNames.peek()].join()) partnerNames.value = read
}

/** Returns the name of a world's partner; undefined without a partner, and until the worlds have been read. */
export function partnerOf(id: string): string | undefined {
  return partnerNames.value.get(id)
}

export function worldName(id: string): string {
  const owner = partnerOf(id)
  return owner === undefined ? `World ${id}` : `World of ${owner}`
}

export function worldsToChoose(): (readonly [id: string, name: string])[] {
  const { value: current } = currentWorld
  if (keyWorld.value !== undefined) return [[keyWorld.value, '']]
  const ids = new Set([DEFAULT_WORLD, ...partnerNames.value.keys(), current])
  return [...ids].map((id) => [id, id === DEFAULT_WORLD ? 'Default world' : worldName(id)])
}

const lastRead = signal<OwnPartner | undefined>(undefined)

/** Partner whose key this page has; undefined without such a key, and until the partner has been read. */
export const partner = computed(() =>
  lastRead.value?.world === keyWorld.value ? lastRead.value : undefined,
)

let reading: Promise<void> | undefined

/** Reads the partner, once for all callers at a time. */
export function readPartner(): Promise<void> {
  return (reading ??= readOwner().finally(() => (reading = undefined)))
}

async function readOwner(): Promise<void> {
  if (keyWorld.peek() === undefined) return
  // The store may have lost the partner.
  const read = await orNull(api.get('/partner'), ({ code }) => code === 'partner_not_found')
  const known = partner.peek()
  if (read?.world !== known?.world || read?.expires_at !== known?.expires_at)
    lastRead.value = read ?? undefined
}

const LAST_DAYS = 7

/** Returns the number of real days until a partner's world expires, rounded up, at least 0; undefined above `LAST_DAYS`. */
export function daysLeft({ expires_at: expiresAt }: OwnPartner): number | undefined {
  const days = Math.ceil((Date.parse(expiresAt) - Date.now()) / DAY_MS)
  return days <= LAST_DAYS ? Math.max(days, 0) : undefined
}
