import type { Seed } from '../fixtures/seed.ts'
import { FIRST_PROJECT_ID } from '../records/generated-ids.ts'
import { situationsAmong } from '../records/generation/showcase.ts'

/** What there is to see in a world that was just loaded from that seed: projects, and what each is in the middle of. */
export function listShowcase({ generate }: Seed): { project: number; shows: string }[] {
  if (!generate) return []
  return situationsAmong(generate).map(({ place, shows }) => ({
    project: FIRST_PROJECT_ID + place,
    shows,
  }))
}
