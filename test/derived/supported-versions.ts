import packageJson from '../../package.json' with { type: 'json' }
import { table } from './markdown.ts'

/** The versions that get fixes of vulnerabilities: those of the latest minor version. */
export function supportedVersions({ version }: { version: string } = packageJson): string {
  const minor = version.split('.').slice(0, 2).join('.')
  return table(
    ['version', 'supported'],
    [
      [`${minor}.x`, 'yes'],
      [`before ${minor}.0`, 'no'],
    ],
  )
}
