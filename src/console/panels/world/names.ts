import { REFERENCES } from '../../../contract/collections.ts'
import { ApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'

/** What the ids in a record name, by its fields. */
export type Names = Readonly<Record<string, string>>

/** Reads what a record names by id, but for its project, with which it is shown. */
export async function namesOf(
  collection: 'projects' | 'reports',
  record: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<Names> {
  const read = Object.entries(REFERENCES[collection]).map(async ([field, other]) => {
    const id = record[field]
    if (other === 'projects' || typeof id !== 'number') return []
    try {
      const named = await api.get(`/records/${other}/${id}`, {}, signal)
      if ('label' in named) return [[field, named.label] as const]
      return 'name' in named ? [[field, named.name] as const] : []
    } catch (error) {
      // It has gone since the record was read, which is read again.
      if (error instanceof ApiError && error.status === 404) return []
      throw error
    }
  })
  return Object.fromEntries((await Promise.all(read)).flat())
}
