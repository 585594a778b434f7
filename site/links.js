import { statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { ROOT, listPages, toAddress } from './pages.js'

/**
 * Lets links of the repository's pages lead to the pages of the site, and gives headings the anchors of GitHub.
 *
 * @param {import('vitepress').MarkdownRenderer} md
 */
export function repositoryLinks(md) {
  const pages = new Set(listPages())
  md.core.ruler.push('repository-links', ({ tokens, env }) => {
    const page = relative(ROOT, env.path).replace(/(^|\/)index\.md$/, '$1README.md')
    if (!pages.has(page)) return
    for (const token of tokens.flatMap((block) => [block, ...(block.children ?? [])])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null
      if (href !== null && !/^([a-z]+:|#)/.test(href)) token.attrSet('href', resolve(page, href))
      if (token.type.startsWith('html_')) {
        // Vite takes only a path that begins with a dot for an asset.
        token.content = token.content.replaceAll(
          /<img src="(?![a-z]+:|[./])/g,
          '<img loading="lazy" src="./',
        )
      }
    }
  })
}

/**
 * @param {string} page
 * @param {string} href
 * @throws Error if the site cannot show the target.
 */
function resolve(page, href) {
  const [path = '', anchor] = href.split('#')
  const target = join(dirname(page), path).replace(/\/$/, '')
  const shown = [target, `${target}/README.md`].find(isFile)
  if (shown === undefined)
    throw new Error(`${page} leads to ${href}, where there is no page and no file.`)
  const address = toAddress(shown.endsWith('.md') ? shown : `${shown}.md`)
  return anchor === undefined ? address : `${address}#${anchor}`
}

/** @param {string} path */
function isFile(path) {
  return statSync(join(ROOT, path), { throwIfNoEntry: false })?.isFile() === true
}

/**
 * Returns the anchor of a heading, as on GitHub and npm.
 *
 * @param {string} heading
 */
export function toAnchor(heading) {
  const plain = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
  return plain.trim().replaceAll(/\s/g, '-')
}
