import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { GENERATED, ROOT, paragraphOf, read, readTopics, titleOf } from './pages.js'

/**
 * Writes llms.txt and llms-full.txt, in the form of llmstxt.org, and the Markdown of each page that they name.
 *
 * @param {string} outDir
 */
export function writeTexts(outDir) {
  const topics = readTopics()
  const home = 'README.md'
  const pages = [home, ...topics.flatMap(({ entries }) => entries.map(({ page }) => page))]
  const sections = topics.map((topic) => {
    const links = topic.entries.map(
      ({ text, page, about }) => `- [${text}](${toTextPath(page)})${about && `: ${about}`}`,
    )
    return `## ${topic === topics.at(-1) ? 'Optional' : topic.text}\n\n${links.join('\n')}\n`
  })
  const head = `# ${titleOf(home)}\n\n> ${paragraphOf(home)}\n\nBegin with the [README](${home}).\n`
  writeFileSync(join(outDir, 'llms.txt'), [head, ...sections].join('\n'))
  writeFileSync(
    join(outDir, 'llms-full.txt'),
    pages.map((page) => withoutFrontmatter(page)).join('\n'),
  )
  for (const page of pages) {
    const file = join(outDir, toTextPath(page))
    mkdirSync(dirname(file), { recursive: true })
    copyFileSync(join(ROOT, page), file)
  }
}

/** @param {string} page */
function toTextPath(page) {
  return page.replace(`${GENERATED}/`, '')
}

/** @param {string} page */
function withoutFrontmatter(page) {
  return read(page).replace(/^---\n[^]*?\n---\n+/, '')
}
