import { escapeHtml } from '../../contract/escape-html.ts'
import type { H3TextBlock } from '../../contract/report.ts'
import type { Random } from '../random.ts'

/**
 * Values that the specification does not name (G-064), for worlds that ask for variety: clients have to take any text
 * there. The usual one stands several times, because most projects have it.
 */
export const STATUSES = [...repeat(12, 'active'), 'onboarding', 'paused', 'ended']
export const PLANS = ['Basic', 'Basic', 'Growth', 'Growth', 'Premium', null]
export const GSC_STATUSES = [...repeat(9, 'connected'), 'pending', 'disconnected', null]

const ARTICLE_SHARE = 0.15

/** A scheme beside the one of the specification (2.7), with the content of a keyword in it. */
interface ArticleScheme {
  name: 'article'
  fields: string[]
}

const ARTICLE: ArticleScheme = { name: 'article', fields: ['title', 'sections'] }

/** The scheme of all contents of a project; undefined for the specification's. */
export function pickScheme(random: Random): ArticleScheme | undefined {
  return random.chance(ARTICLE_SHARE) ? ARTICLE : undefined
}

/** The same blocks as an article, and its HTML. */
export function toArticle(title: string, blocks: readonly H3TextBlock[]) {
  const sections = blocks.map(({ h3, text }) => ({ heading: h3, paragraphs: [text] }))
  const body = blocks.map(
    ({ h3, text }) => `<section><h2>${escapeHtml(h3)}</h2><p>${escapeHtml(text)}</p></section>`,
  )
  return {
    content: { title, sections },
    html: `<article><h1>${escapeHtml(title)}</h1>${body.join('')}</article>`,
  }
}

function repeat(times: number, text: string): string[] {
  return Array.from({ length: times }, () => text)
}
