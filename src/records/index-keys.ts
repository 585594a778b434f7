import type { CollectionName } from '../contract/collections.ts'
import type { RecordOf } from '../contract/records.ts'

/** The group of all records. */
export const ALL = ''

/** The groups by which each kind of record is looked up. */
export const KEYS: { [Name in CollectionName]: (record: RecordOf<Name>) => string[] } = {
  agencies: () => [ALL],
  countries: () => [ALL],
  languages: () => [ALL],
  users: ({ agency }) => [ALL, String(agency)],
  tokens: ({ token }) => [ALL, bearerKey(token)],
  projects: ({ agency, status }) => [
    ALL,
    String(agency),
    projectsKey(undefined, status),
    projectsKey(agency, status),
  ],
  keywords: ({ project }) => [ALL, String(project)],
  reports: ({ project }) => [ALL, String(project)],
}

/** The group of the token with a bearer value: the header that names it, so that finding the token of a request is a look-up. */
export function bearerKey(bearer: string): string {
  return `Bearer ${bearer}`
}

/** The group of the projects of an agency with a status; undefined stands for any. */
export function projectsKey(agency: number | undefined, status: string | undefined): string {
  if (status === undefined) return agency === undefined ? ALL : String(agency)
  return `${agency ?? 'any'} ${status}`
}
