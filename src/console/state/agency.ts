import { signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { api } from '../api/client.ts'
import type { Overview, RecordOf } from '../api/types.ts'
import { fitOnLine } from '../../wording/fit-on-line.ts'
import { query } from './location.ts'
import { UNREAD, useReadAt, useResource } from './resource.ts'
import type { Resource } from './resource.ts'
import { readPartner } from './world-choice.ts'

type Agency = RecordOf<'agencies'>

export interface AgencyRead {
  agencies: readonly Agency[]
  /** Agency whose id is in the page's URL, or else the first agency; undefined in a world without agencies. */
  agency?: Agency | undefined
  overview?: Overview | undefined
}

export const agencyRead = signal<Resource<AgencyRead>>(UNREAD)

type Project = Overview['projects'][number]

/** Returns the name of a project, cut to 40 characters; `project 101` if the overview does not list the project. */
export function projectName(project: number): string {
  const { projects = [] } = agencyRead.value.value?.overview ?? {}
  const { name = `project ${project}` } = projects.find(({ id }) => id === project) ?? {}
  return fitOnLine(name, 40)
}

/** Returns the active projects whose latest report has failed, followed by the active projects whose latest report is late. */
export function needingAttention(projects: readonly Project[]): Project[] {
  const inState = (state: Project['health']) => projects.filter(({ health }) => health === state)
  return [...inState('failed'), ...inState('late')]
}

/** Keeps `agencyRead` up to date for the whole page. Only the frame calls this. */
export function useAgency(): void {
  const chosen = query.value['agency']
  const read = useResource((aborting) => readAgency(chosen, aborting), [chosen])
  useLayoutEffect(() => void (agencyRead.value = read), [read])
  const { overview } = read.value ?? {}
  useReadAt(overview?.changes[0]?.at, overview?.next?.at, overview?.next_month?.at)
}

/** Reads the agencies and the overview as a single resource, so that the page never shows them from different worlds. */
async function readAgency(chosen: string | undefined, aborting: AbortSignal): Promise<AgencyRead> {
  const [{ records: agencies }] = await Promise.all([
    api.list('agencies', { limit: 200 }, aborting),
    // Reads the partner before anything is shown, so that the greeting does not appear later and shift the page.
    readPartner(),
  ])
  const agency = agencies.find(({ id }) => String(id) === chosen) ?? agencies[0]
  if (!agency) return { agencies }
  const overview = await api.get(`/agencies/${agency.id}/overview`, {}, aborting)
  return { agencies, agency, overview }
}
