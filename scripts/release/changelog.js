import { ReleaseError } from './steps.js'

const HEADING = '## [Unreleased]'

/**
 * The changelog with the unreleased entries under the version and the date in UTC.
 *
 * @param {string} changelog
 * @param {string} version
 */
export function withVersion(changelog, version) {
  const lines = changelog.split('\n')
  const start = lines.findIndex((line) => line.trim() === HEADING)
  if (start === -1) {
    throw new ReleaseError(
      `CHANGELOG.md has no line "${HEADING}": add it, with the changes of this release below.`,
    )
  }
  if (!sectionBelow(lines, start).some((line) => /^[-*] /.test(line))) {
    throw new ReleaseError(
      `CHANGELOG.md:${start + 1} has no entries below "${HEADING}": add a line "- …" for each change that users notice.`,
    )
  }
  const today = new Date().toISOString().slice(0, 10)
  return lines.toSpliced(start + 1, 0, '', `## [${version}] - ${today}`).join('\n')
}

/**
 * The entries of a version: the notes of its release.
 *
 * @param {string} changelog
 * @param {string} version
 */
export function notesOf(changelog, version) {
  const lines = changelog.split('\n')
  const start = lines.findIndex((line) => line.startsWith(`## [${version}]`))
  if (start === -1) {
    throw new ReleaseError(
      `CHANGELOG.md has no section "## [${version}]": make the tag with "npm run release -- ${version}".`,
    )
  }
  return `${sectionBelow(lines, start).join('\n').trim()}\n`
}

/**
 * @param {string[]} lines
 * @param {number} start the index of its heading
 */
function sectionBelow(lines, start) {
  const below = lines.slice(start + 1)
  const next = below.findIndex((line) => line.startsWith('## '))
  return next === -1 ? below : below.slice(0, next)
}
