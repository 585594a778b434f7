import { orNull } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'

/** The fields with the id of a record that has a name, and its collection. */
const NAMED = {
  agency: 'agencies',
  country: 'countries',
  text_language: 'languages',
  report_language: 'languages',
  managing_user: 'users',
  created_by: 'users',
  approved_by: 'users',
  managed_by: 'users',
} as const

/** What the ids in a record name, by its fields. */
export type Names = Readonly<Record<string, string>>

export async function namesOf(record: object, signal: AbortSignal): Promise<Names> {
  const read = Object.entries(record).map(async ([field, id]) => {
    const collection = Object.hasOwn(NAMED, field) && NAMED[field as keyof typeof NAMED]
    if (!collection || typeof id !== 'number') return []
    // Where it has gone since the record was read, that is read again.
    const named = await orNull(api.get(`/records/${collection}/${id}`, {}, signal))
    return named ? [[field, 'label' in named ? named.label : named.name] as const] : []
  })
  return Object.fromEntries((await Promise.all(read)).flat())
}
