import { POLICIES } from '../contract/gaps.ts'
import { formatFixture } from '../fixtures/format-fixture.ts'
import type { FixtureInput } from '../fixtures/fixture.ts'
import type { PolicyResult } from './results.ts'
import type { ReadFixture } from './read-fixture.ts'

interface FormatOptions {
  /** Keeps names and texts as they are. */
  isRaw: boolean
  /** The URL of the service. */
  service: string
  policies: readonly PolicyResult[]
}

/** A fixture that was read, as YAML; its first lines count what it assumes. */
export async function formatReadFixture(
  { fixture, assumed }: ReadFixture,
  { isRaw, service, policies: results }: FormatOptions,
): Promise<string> {
  const seen = results.flatMap(({ policy, result, value = '' }) => {
    const gap = POLICIES.find((one) => one.policy === policy)
    return result === 'seen' && value !== gap?.default ? [[policy, value] as const] : []
  })
  const { projects = [], ...head } = isRaw ? fixture : await toAnonymous(fixture)
  const comment = [
    `Read from ${service} by seo-sandbox compare, ${isRaw ? 'with names and texts as they are' : 'with other names and texts'}.`,
    `Assumed, because no answer shows it: ${assumed.map(({ field, count }) => `${field} of ${count}`).join(', ') || 'nothing'}.`,
  ]
  const { version, now, ...sections } = head
  const parts = {
    head: {
      version,
      ...(now !== undefined && { now }),
      ...(seen.length > 0 && { policies: Object.fromEntries(seen) }),
      ...sections,
    },
    projects,
  }
  return [...formatFixture(parts, comment)].join('')
}

async function toAnonymous(fixture: FixtureInput): Promise<FixtureInput> {
  const [{ anonymise }, { loadKey }] = await Promise.all([
    import('./anonymise.ts'),
    import('./resume.ts'),
  ])
  return anonymise(fixture, await loadKey('names'))
}
