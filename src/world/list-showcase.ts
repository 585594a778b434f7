import { FIRST_PROJECT_ID } from '../records/generated-ids.ts'
import type { Generate } from '../records/generation/generate.ts'
import { situationsAmong } from '../records/generation/showcase.ts'

/** Returns the projects that show special situations in a newly loaded world, each with its situation. */
export function listShowcase(generate: Generate | undefined): { project: number; shows: string }[] {
  if (!generate) return []
  return situationsAmong(generate).map(({ place, shows }) => ({
    project: FIRST_PROJECT_ID + place,
    shows,
  }))
}
