import { computed, signal } from '@preact/signals'
import { orNull } from '../api/api-error.ts'
import { api } from '../api/client.ts'
import { ownWorld } from '../api/key.ts'
import type { OwnPartner } from '../api/types.ts'
import { DAY_MS } from '../../wording/times.ts'

const lastRead = signal<OwnPartner | undefined>(undefined)

/** Whose world it is, for a page that has the key of that world now; undefined for others, and until that was read. */
export const partner = computed(() =>
  lastRead.value?.world === ownWorld.value ? lastRead.value : undefined,
)

export async function readPartner(): Promise<void> {
  if (ownWorld.peek() === undefined) return
  // The store may have lost who it was.
  const read = await orNull(api.get('/partner'), ({ code }) => code === 'partner_not_found')
  const known = partner.peek()
  if (read?.world !== known?.world || read?.expires_at !== known?.expires_at)
    lastRead.value = read ?? undefined
}

const LAST_DAYS = 7

/** How many days a world has left, in its last week; undefined before. By the page's own clock, as its clocks may stand elsewhere. */
export function daysLeft({ expires_at: expiresAt }: OwnPartner): number | undefined {
  const days = Math.ceil((Date.parse(expiresAt) - Date.now()) / DAY_MS)
  return days <= LAST_DAYS ? Math.max(days, 0) : undefined
}
