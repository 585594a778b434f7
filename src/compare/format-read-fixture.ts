import { formatFixture } from '../fixtures/format-fixture.ts'
import type { FixtureInput } from '../fixtures/fixture.ts'
import type { ReadFixture } from './read-fixture.ts'

interface FormatOptions {
  /** True to keep names and texts; false to replace them. */
  isRaw: boolean
  service: string
  policies: Readonly<Record<string, string>>
}

/**
 * Formats a fixture that was read from a service. Returns YAML whose first lines name the service and count the assumed fields.
 */
export async function formatReadFixture(
  { fixture, assumed }: ReadFixture,
  { isRaw, service, policies }: FormatOptions,
): Promise<string> {
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
      ...(Object.keys(policies).length > 0 && { policies }),
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
