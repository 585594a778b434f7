import type { Seed } from '../fixtures/seed.ts'
import { FIRST_PROJECT_ID } from '../records/generated-ids.ts'
import { situationsAmong } from '../records/generation/showcase.ts'

/** Returns the projects of a newly loaded world that show special situations, each with its situation. */
export function listShowcase({ generate }: Seed): { project: number; shows: string }[] {
  if (!generate) return []
  return situationsAmong(generate).map(({ place, shows }) => ({
    project: FIRST_PROJECT_ID + place,
    shows,
  }))
}
