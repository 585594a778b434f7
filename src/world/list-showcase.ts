import type { Seed } from '../fixtures/seed.ts'
import { FIRST_PROJECT_ID } from '../records/generated-ids.ts'
import { situationsAmong } from '../records/generation/showcase.ts'

/** What there is to see in a world that was just loaded from a seed: projects, and what is going on in each. */
export function listShowcase({ generate }: Seed): { project: number; shows: string }[] {
  if (!generate) return []
  return situationsAmong(generate).map(({ place, shows }) => ({
    project: FIRST_PROJECT_ID + place,
    shows,
  }))
}
