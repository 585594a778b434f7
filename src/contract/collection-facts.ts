/** The sections of a fixture, each a list of records. Keywords and reports are nested in projects. */
export const SECTIONS = [
  'agencies',
  'countries',
  'languages',
  'users',
  'tokens',
  'projects',
] as const

export const COLLECTION_NAMES = [...SECTIONS, 'keywords', 'reports'] as const

export type CollectionName = (typeof COLLECTION_NAMES)[number]

export function mapCollections<Value>(
  make: (name: CollectionName) => Value,
): Record<CollectionName, Value> {
  const entries = COLLECTION_NAMES.map((name) => [name, make(name)])
  return Object.fromEntries(entries) as Record<CollectionName, Value>
}

export const SINGULAR: Record<CollectionName, string> = {
  agencies: 'agency',
  countries: 'country',
  languages: 'language',
  users: 'user',
  tokens: 'token',
  projects: 'project',
  keywords: 'keyword',
  reports: 'report',
}

/** Fields that contain the id of another record, and the collection of that record. */
export const REFERENCES: Record<CollectionName, Record<string, CollectionName>> = {
  agencies: {},
  countries: {},
  languages: {},
  users: { agency: 'agencies' },
  tokens: { agency: 'agencies' },
  projects: {
    agency: 'agencies',
    country: 'countries',
    text_language: 'languages',
    report_language: 'languages',
    managing_user: 'users',
    created_by: 'users',
  },
  keywords: { project: 'projects' },
  reports: { project: 'projects', approved_by: 'users', managed_by: 'users' },
}

export type MomentKind = 'date' | 'dateTime'

/** Fields that contain a date or a datetime, absolute or relative to the world clock. */
export const MOMENTS = {
  agencies: {},
  countries: {},
  languages: {},
  users: {},
  tokens: {},
  projects: { created_at: 'dateTime' },
  keywords: { create_date: 'date' },
  reports: {
    created_at: 'dateTime',
    date_to_create_texts: 'date',
    date_to_send_to_client: 'date',
  },
} as const satisfies Record<CollectionName, Record<string, MomentKind>>
