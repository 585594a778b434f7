import { signal } from '@preact/signals'
import { api } from '../api/client.ts'
import { ownWorld } from '../api/key.ts'
import type { OwnPartner } from '../api/types.ts'

/** Whose world it is, for a page that has the key of a world; undefined for others, and until that was read. */
export const partner = signal<OwnPartner | undefined>(undefined)

export async function readPartner(): Promise<void> {
  if (ownWorld.peek() === undefined) return
  const read = await api.get('/partner')
  if (read.expires_at !== partner.peek()?.expires_at) partner.value = read
}

const DAY_MS = 86_400_000
const LAST_DAYS = 7

/** How many days a world has left, in its last week; undefined before. By the page's own clock, as its clocks may stand elsewhere. */
export function daysLeft({ expires_at: expiresAt }: OwnPartner): number | undefined {
  const days = Math.ceil((Date.parse(expiresAt) - Date.now()) / DAY_MS)
  return days <= LAST_DAYS ? Math.max(days, 0) : undefined
}
