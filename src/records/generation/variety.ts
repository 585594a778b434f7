import { escapeHtml } from '../../contract/escape-html.ts'
import type { H3TextBlock } from '../../contract/report.ts'
import type { Random } from '../random.ts'

/**
 * Values that the specification does not name (G-064), for worlds that ask for variety: clients have to take any text
 * there. The usual one is repeated, because most projects have it.
 */
export const STATUSES = [...Array<string>(12).fill('active'), 'onboarding', 'paused', 'ended']
export const PLANS = ['Basic', 'Basic', 'Growth', 'Growth', 'Premium', null]
export const GSC_STATUSES = [...Array<string>(9).fill('connected'), 'pending', 'disconnected', null]

const ARTICLE_SHARE = 0.15

/** A scheme other than the specification's (2.7). */
interface ArticleScheme {
  name: 'article'
  fields: string[]
}

const ARTICLE: ArticleScheme = { name: 'article', fields: ['title', 'sections'] }

/** The scheme of all contents of a project; undefined for the specification's. */
export function pickScheme(random: Random): ArticleScheme | undefined {
  return random.chance(ARTICLE_SHARE) ? ARTICLE : undefined
}

/** The same blocks as an article, whose HTML is a map with a list in it too (2.7: an object or an array). */
export function toArticle(title: string, blocks: readonly H3TextBlock[]) {
  const sections = blocks.map(({ h3, text }) => ({ heading: h3, paragraphs: [text] }))
  const fragments = blocks.map(
    ({ h3, text }) => `<section><h2>${escapeHtml(h3)}</h2><p>${escapeHtml(text)}</p></section>`,
  )
  return {
    content: { title, sections },
    html: { title: `<h1>${escapeHtml(title)}</h1>`, sections: fragments },
  }
}
