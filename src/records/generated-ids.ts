import type { Generate } from './generation/generate.ts'

/** The first id of generated projects. The id of a generated keyword or report begins with the id of its project. */
export const FIRST_PROJECT_ID = 1001
/** Number of ids reserved for the keywords of each generated project. */
export const KEYWORDS_PER_PROJECT = 1000
/** Number of ids reserved for the reports of each generated project. */
export const REPORTS_PER_PROJECT = 100

const IDS_PER_PROJECT = {
  projects: 1,
  keywords: KEYWORDS_PER_PROJECT,
  reports: REPORTS_PER_PROJECT,
}

/**
 * True for an id in the range of generated projects. Projects in a fixture exported from a generated world have such ids too; those
 * written by hand are expected to have lower ones.
 */
export function isGeneratedProject({ id }: { id: number }): boolean {
  return id >= FIRST_PROJECT_ID
}

/** True for an id that a world with this number of generated projects reserves for generated records. */
export function isGeneratedId(
  collection: string,
  id: number,
  { projects }: Pick<Generate, 'projects'>,
): boolean {
  if (!Object.hasOwn(IDS_PER_PROJECT, collection)) return false
  const project = Math.floor(id / IDS_PER_PROJECT[collection as keyof typeof IDS_PER_PROJECT])
  return project >= FIRST_PROJECT_ID && project < FIRST_PROJECT_ID + projects
}
