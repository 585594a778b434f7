import { readFileSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * @typedef {{ text: string, page: string, about: string }} Entry a page in a list, with its description there
 * @typedef {{ text: string, entries: Entry[], folder?: string }} Topic a list of pages; one with a folder of the site has a sidebar of its own
 */

export const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Folder of the generated Markdown, with the paths of the site. */
export const GENERATED = 'site/generated'

/** The index that the sidebar and llms.txt follow. */
const INDEX = 'docs/README.md'

/** @param {string} path */
export function read(path) {
  return readFileSync(join(ROOT, path), 'utf8')
}

/** Lists the Markdown pages of the repository that the site shows. */
export function listPages() {
  const inDocs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => join('docs', name))
  return ['README.md', ...inDocs.toSorted()]
}

/**
 * Returns the site's path of a Markdown file of the repository.
 *
 * @param {string} path
 */
export function toRoute(path) {
  return path.replace(`${GENERATED}/`, '').replace(/(^|\/)README\.md$/, '$1index.md')
}

/**
 * Returns the address of a page, without the base.
 *
 * @param {string} path
 */
export function toAddress(path) {
  return `/${toRoute(path)}`.replace(/\.md$/, '.html').replace(/\/index\.html$/, '/')
}

/** @param {string} path */
export function titleOf(path) {
  return /^# (.+)$/m.exec(read(path))?.[1] ?? path
}

/**
 * Returns the first paragraph of a page, as plain text.
 *
 * @param {string} path
 */
export function paragraphOf(path) {
  const paragraph = /^# .+\n+([^#`|<-][^]*?)\n\n/m.exec(`${read(path)}\n\n`)?.[1] ?? titleOf(path)
  return paragraph
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ')
}

/**
 * Returns the topics of the index, and topics of the pages that it does not list.
 *
 * @returns {Topic[]}
 */
export function readTopics() {
  const topics = read(INDEX)
    .split(/^## /m)
    .map((section) => ({
      text: section.split('\n')[0] ?? '',
      entries: [...section.matchAll(/^- \[(.+?)\]\((.+?)\)(?:: (.+))?$/gm)].map(
        ([, text = '', target = '', about = '']) => ({
          text,
          page: join(dirname(INDEX), target),
          about,
        }),
      ),
    }))
    .filter(({ entries }) => entries.length > 0)
  const listed = new Set(['README.md', INDEX])
  for (const { entries } of topics) for (const { page } of entries) listed.add(page)
  const others = listPages().filter((page) => !listed.has(page))
  const isRecipe = (/** @type {string} */ page) => page.startsWith('docs/recipes/')
  const isDecision = (/** @type {string} */ page) => page.startsWith('docs/decisions/')
  return [
    ...topics,
    topicOf('Recipes', others.filter(isRecipe)),
    topicOf(
      'Contributing',
      others.filter((page) => !isRecipe(page) && !isDecision(page)),
    ),
    ...listReferences().map((folder) =>
      topicOf(titleOf(`${folder}/README.md`), listInOrder(folder), toRoute(folder)),
    ),
    topicOf('Decisions', others.filter(isDecision), 'docs/decisions'),
  ]
}

/** Lists the folders of the reference. */
function listReferences() {
  const folder = `${GENERATED}/reference`
  return readdirSync(join(ROOT, folder)).map((name) => join(folder, name))
}

/**
 * Lists the pages of a folder, in the order in which its first page links to them.
 *
 * @param {string} folder
 */
function listInOrder(folder) {
  const first = join(folder, 'README.md')
  const linked = [...read(first).matchAll(/\]\(([\w-]+\.md)/g)]
  return [...new Set([first, ...linked.map(([, name = '']) => join(folder, name))])]
}

/**
 * @param {string} text
 * @param {string[]} pages
 * @param {string} [folder]
 * @returns {Topic}
 */
function topicOf(text, pages, folder) {
  return {
    text,
    entries: pages.map((page) => ({ text: titleOf(page), page, about: '' })),
    ...(folder !== undefined && { folder }),
  }
}

/** Lists the files of the repository to which its pages link, apart from pages. */
export function listLinkedFiles() {
  const pages = new Set(listPages())
  const targets = [...pages].flatMap((page) =>
    [...read(page).matchAll(/\]\(([^()\s#:]+)/g)].map(([, target = '']) =>
      join(dirname(page), target),
    ),
  )
  const isFile = (/** @type {string} */ path) =>
    statSync(join(ROOT, path), { throwIfNoEntry: false })?.isFile()
  return [...new Set(targets)].filter((path) => !pages.has(path) && isFile(path)).toSorted()
}
