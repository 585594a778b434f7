import { createHash } from 'node:crypto'
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { REDIRECTS } from './moved.js'

/** Checks of the built site. Each function returns a sentence for each finding. */

/** Folder of the exported console, which has tests of its own. */
const TRY = 'try/'

const ANY_HOST = 'http://any.host'

/**
 * Lists the pages of the site, without redirects, as paths from its folder.
 *
 * @param {string} outDir
 */
export function listHtml(outDir) {
  return readdirSync(outDir, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.html') && !path.startsWith(TRY) && !REDIRECTS.has(path))
    .toSorted()
}

/**
 * Finds links that lead to no file of the site, or to no heading of a page.
 *
 * @param {string} outDir
 * @param {string} base
 */
export function findBrokenLinks(outDir, base) {
  const site = openSite(outDir, base)
  return listHtml(outDir).flatMap((page) =>
    site
      .linksOf(page)
      .filter(({ url, tag }) => tag !== 'a' || url.origin === ANY_HOST)
      .flatMap(({ url, written }) => {
        const path = site.pathOf(url)
        if (path === undefined) return [`${page} leads to ${written}, which does not exist.`]
        if (url.hash === '' || !path.endsWith('.html') || path.startsWith(TRY)) return []
        if (site.anchorsOf(path).has(decodeURIComponent(url.hash.slice(1)))) return []
        return [`${page} leads to ${written}, but ${path} has no such heading.`]
      }),
  )
}

/**
 * Finds inline scripts and styles that the policy of a page does not allow.
 *
 * @param {string} outDir
 */
export function findForbidden(outDir) {
  return listHtml(outDir).flatMap((page) => {
    const html = readFileSync(join(outDir, page), 'utf8')
    const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(html)?.[1] ?? ''
    const scripts = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g)]
    const refused = scripts.filter(([, script = '']) => {
      const hash = createHash('sha256').update(script).digest('base64')
      return !policy.includes(`'sha256-${hash}'`)
    })
    return [
      ...refused.map(([script]) => `${page} has a script that its policy refuses: ${script}`),
      ...(/<style|<[a-z][^>]* (?:style|on\w+)="/.test(html)
        ? [`${page} has inline styles or handlers.`]
        : []),
      ...(policy.startsWith("default-src 'none'; ") && !policy.includes('unsafe')
        ? []
        : [`${page} has no strict policy.`]),
    ]
  })
}

/**
 * Returns the compressed bytes of a page with everything that it loads at once.
 *
 * @param {string} outDir
 * @param {string} base
 * @param {string} page
 */
export function weigh(outDir, base, page) {
  const site = openSite(outDir, base)
  const loaded = new Set([page])
  for (const { tag, rel, lazy, url } of site.linksOf(page)) {
    const path = site.pathOf(url)
    const isLoaded =
      tag === 'script' || (tag === 'img' && !lazy) || (tag === 'link' && rel !== 'prefetch')
    if (path !== undefined && isLoaded) loaded.add(path)
  }
  for (const path of loaded) {
    if (!path.endsWith('.js')) continue
    const code = readFileSync(join(outDir, path), 'utf8')
    for (const [, target = ''] of code.matchAll(/\b(?:from|import)\s*"(\.[^"]+)"/g)) {
      loaded.add(join(path, '..', target))
    }
  }
  return [...loaded].reduce(
    (sum, path) => sum + gzipSync(readFileSync(join(outDir, path))).length,
    0,
  )
}

/**
 * @param {string} outDir
 * @param {string} base
 */
function openSite(outDir, base) {
  /** @type {Map<string, Set<string>>} */
  const anchors = new Map()
  return {
    /** @param {string} page */
    linksOf: (page) =>
      tagsOf(readFileSync(join(outDir, page), 'utf8')).flatMap(({ tag, attributes }) => {
        const written = attributes.href ?? attributes.src
        if (written === undefined || written.startsWith('data:')) return []
        const url = new URL(written, `${ANY_HOST}${base}${page}`)
        return [{ tag, written, url, rel: attributes.rel, lazy: attributes.loading === 'lazy' }]
      }),

    /** @param {URL} url @returns the file at the address; undefined if there is none */
    pathOf: ({ origin, pathname }) => {
      if (origin !== ANY_HOST || !pathname.startsWith(base)) return undefined
      const path = decodeURIComponent(pathname.slice(base.length)).replace(
        /(^|\/)$/,
        '$1index.html',
      )
      return statSync(join(outDir, path), { throwIfNoEntry: false })?.isFile() ? path : undefined
    },

    /** @param {string} page */
    anchorsOf: (page) => {
      const known = anchors.get(page)
      if (known !== undefined) return known
      const tags = tagsOf(readFileSync(join(outDir, page), 'utf8'))
      const found = new Set(
        tags.flatMap(({ attributes: { id } }) => (id === undefined ? [] : [id])),
      )
      anchors.set(page, found)
      return found
    },
  }
}

/** @param {string} html */
function tagsOf(html) {
  return [...html.matchAll(/<([a-z]+\d?)((?:\s+[^\s=>]+(?:="[^"]*")?)*)\s*\/?>/g)].map(
    ([, tag = '', written = '']) => ({
      tag,
      attributes: /** @type {Record<string, string>} */ (
        Object.fromEntries(
          [...written.matchAll(/([^\s=]+)="([^"]*)"/g)].map(([, name, value = '']) => [
            name,
            value.replaceAll('&amp;', '&'),
          ]),
        )
      ),
    }),
  )
}
