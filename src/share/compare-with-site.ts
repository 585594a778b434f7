import type { SharedSession } from '../session/session.ts'

/** What a site says of itself. */
export interface SiteFacts {
  /** The release that it runs. */
  version: string
  /** The digest of its options. */
  digest: string
}

/** What to say before anything of a link runs if another site made it; undefined if this one did. */
export function compareWithSite(
  { release, site: { digest } }: Pick<SharedSession, 'release' | 'site'>,
  site: SiteFacts,
): string | undefined {
  const other =
    release === site.version
      ? undefined
      : `release ${release} of the sandbox, where this site has ${site.version}`
  const fixtures =
    digest === site.digest ? undefined : 'other fixtures or options than those of this site'
  const differences = [other, fixtures].filter((difference) => difference !== undefined)
  if (differences.length === 0) return undefined
  return `This was made with ${differences.join(', and with ')}: what it shows here may differ from what its sender saw.`
}
