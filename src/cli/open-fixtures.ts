import { withoutControls } from '../contract/describe.ts'
import { loadFixtures } from '../fixtures/load-fixtures.ts'
import type { FixtureFiles } from '../fixtures/source.ts'
import type { Progress } from './progress.ts'

const STEPS = { reading: 'Reading', checking: 'Checking' } as const

/** How many characters even a busy machine parses well within a second. */
const MODEST_LENGTH = 100_000

export function lengthOf(files: FixtureFiles['files']): number {
  return files.reduce((sum, { text }) => sum + text.length, 0)
}

/**
 * Loads fixtures whose parsing is reported: 10 MB of YAML take seconds.
 *
 * @throws FixtureError
 */
export async function openFixtures(
  paths: readonly string[],
  progress: Progress,
): Promise<FixtureFiles> {
  return withProgress(await loadFixtures(...paths), progress)
}

/** Fixtures whose parsing is reported if it takes long. */
export function withProgress(
  { files }: Pick<FixtureFiles, 'files'>,
  progress: Progress,
): FixtureFiles {
  if (lengthOf(files) < MODEST_LENGTH) return { files }
  return {
    files,
    onProgress: ({ file, step, done, total }) =>
      progress.report(`${STEPS[step]} ${withoutControls(file)}`, done, total),
  }
}
