import { computed, signal } from '@preact/signals'
import { ApiError } from '../api/api-error.ts'
import { api } from '../api/client.ts'
import { ownWorld } from '../api/key.ts'
import type { OwnPartner } from '../api/types.ts'

const lastRead = signal<OwnPartner | undefined>(undefined)

/** Whose world it is, for a page that has the key of that world now; undefined for others, and until that was read. */
export const partner = computed(() =>
  lastRead.value?.world === ownWorld.value ? lastRead.value : undefined,
)

export async function readPartner(): Promise<void> {
  if (ownWorld.peek() === undefined) return
  const read = await readOwn()
  const known = partner.peek()
  if (read?.world !== known?.world || read?.expires_at !== known?.expires_at) lastRead.value = read
}

/** Undefined where the store has lost who it was. */
async function readOwn(): Promise<OwnPartner | undefined> {
  try {
    return await api.get('/partner')
  } catch (error) {
    if (error instanceof ApiError && error.code === 'partner_not_found') return undefined
    throw error
  }
}

const DAY_MS = 86_400_000
const LAST_DAYS = 7

/** How many days a world has left, in its last week; undefined before. By the page's own clock, as its clocks may stand elsewhere. */
export function daysLeft({ expires_at: expiresAt }: OwnPartner): number | undefined {
  const days = Math.ceil((Date.parse(expiresAt) - Date.now()) / DAY_MS)
  return days <= LAST_DAYS ? Math.max(days, 0) : undefined
}
