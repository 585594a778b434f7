import { readdirSync, readFileSync } from 'node:fs'
import { fromRoot } from '../support/cli.ts'
import { readSections } from './sections.ts'
import type { Section } from './sections.ts'

/**
 * The sections with examples of the README and of the pages in docs. Those of docs/recipes are about projects of their own,
 * which `.ci/recipes` runs, except for the one on Testcontainers.
 */
export const GUIDE_SECTIONS: readonly (Section & { guide: string })[] = [
  'README.md',
  ...['docs', 'docs/hosting', 'docs/recipes/testcontainers'].flatMap((folder) =>
    readdirSync(fromRoot(folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
].flatMap((guide) =>
  readSections(readFileSync(fromRoot(guide), 'utf8')).map((section) => ({ guide, ...section })),
)
