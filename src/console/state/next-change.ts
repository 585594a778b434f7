import { api } from '../api/client.ts'
import { changeWords } from '../../wording/change-words.ts'
import { query } from './location.ts'
import { useResource } from './resource.ts'

/** The next moment at which time alone changes reports of a project. */
export interface NextChange {
  /** In the API's datetime format, on the world clock. */
  at: string
  /** The id of the project. */
  project: number
  /** What changes: `report 19 starts`. */
  words: string
}

/** The next change of the project in the address; of the first project where none is. Null where there is none. */
export function useNextChange(): NextChange | null {
  const chosen = Number(query.value['project'])
  const project = Number.isSafeInteger(chosen) && chosen > 0 ? chosen : undefined
  const { value } = useResource(
    async (aborting) => {
      const id = project ?? (await firstProject(aborting))
      return id === undefined ? null : api.get(`/explain/projects/${id}`, { changes: 1 }, aborting)
    },
    [project],
  )
  const [change] = value?.changes ?? []
  if (!value || !change) return null
  return { at: change.at, project: value.project, words: changeWords(change, value) }
}

async function firstProject(aborting: AbortSignal): Promise<number | undefined> {
  const { records } = await api.list('projects', { limit: 1 }, aborting)
  return records[0]?.id
}
