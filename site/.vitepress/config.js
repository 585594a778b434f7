import { createHash } from 'node:crypto'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCssVariablesTheme } from 'shiki'
import { defineConfig } from 'vitepress'
import { LIBRARY, runnableExamples } from '../examples.js'
import { DOCUMENTS } from '../generate.js'
import { repositoryLinks, toAnchor } from '../links.js'
import { writeTexts } from '../llms.js'
import {
  ROOT,
  listLinkedFiles,
  paragraphOf,
  readTopics,
  titleOf,
  toAddress,
  toRoute,
} from '../pages.js'

const TITLE = titleOf('README.md')

export default defineConfig({
  title: TITLE,
  description: paragraphOf('README.md'),
  lang: 'en',
  // Without an icon, browsers request /favicon.ico; by default, VitePress adds a style element.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  appearance: { disableTransition: false },
  srcDir: '..',
  srcExclude: ['!(README).md', '!(docs|site)/**/*.md', 'site/!(generated)/**/*.md'],
  outDir: 'dist',
  rewrites: toRoute,
  metaChunk: true,
  router: { prefetchLinks: false },
  markdown: {
    anchor: { slugify: toAnchor },
    attrs: { disable: true },
    theme: createCssVariablesTheme({ fontStyle: false }),
    codeTransformers: [{ pre: withoutStyle, span: withClass }],
    config: (md) => {
      repositoryLinks(md)
      runnableExamples(md)
      alignByClass(md)
    },
  },
  themeConfig: {
    nav: [
      { text: 'Documentation', link: toAddress('docs/README.md') },
      ...DOCUMENTS.map(({ title, folder }) => ({ text: title, link: `/reference/${folder}/` })),
      { text: 'Try it', link: '/try/', target: '_self' },
    ],
    sidebar: toSidebar(readTopics()),
    outline: [2, 3],
    search: { provider: 'local' },
  },
  vite: {
    // The search index is large, but loaded only when somebody searches.
    build: { chunkSizeWarningLimit: 1000 },
    plugins: [vueOfSite(), libraryOfRepository()],
  },
  transformPageData: ({ relativePath, filePath, title, frontmatter }) => ({
    title: title.replaceAll('`', ''),
    titleTemplate: relativePath === 'index.md' ? ':title' : `:title · ${TITLE}`,
    description: frontmatter.description ?? paragraphOf(filePath),
  }),
  transformHtml: withPolicy,
  buildEnd({ outDir }) {
    writeTexts(outDir)
    for (const path of listLinkedFiles()) copyFileSync(join(ROOT, path), join(outDir, path))
    for (const { file } of DOCUMENTS) copyFileSync(join(ROOT, 'dist', file), join(outDir, file))
  },
})

/**
 * Returns the sidebar of each topic with a folder, and the sidebar of all other topics, which links to those.
 *
 * @param {import('../pages.js').Topic[]} topics
 * @returns {import('vitepress').DefaultTheme.SidebarMulti}
 */
function toSidebar(topics) {
  const toGroup = (/** @type {import('../pages.js').Topic} */ { text, entries }) => ({
    text,
    items: entries.map((entry) => ({ text: entry.text, link: toAddress(entry.page) })),
  })
  const shared = topics.filter(({ folder }) => folder === undefined)
  const own = topics.filter(({ folder }) => folder !== undefined)
  const more = own.map(({ text, entries }) => ({ text, link: toAddress(entries[0]?.page ?? '') }))
  return {
    '/': [...shared.map(toGroup), { text: 'More', items: more }],
    ...Object.fromEntries(own.map((topic) => [`/${topic.folder}/`, [toGroup(topic)]])),
  }
}

/**
 * Resolves Vue for pages, which are compiled to modules that import it: Vue is installed here, not in their folders.
 *
 * @returns {import('vite').Plugin}
 */
function vueOfSite() {
  return {
    name: 'vue-of-site',
    enforce: 'pre',
    resolveId(id, _, { ssr }) {
      if (!/^vue(\/|$)/.test(id)) return
      // The server-side renderer is installed here too, so it finds Vue itself.
      if (ssr) return { id, external: true }
      return this.resolve(id, join(ROOT, 'site/build.js'), { skipSelf: true })
    },
  }
}

/**
 * Resolves the library in examples, which import it by name and run only in browsers.
 *
 * @returns {import('vite').Plugin}
 */
function libraryOfRepository() {
  return {
    name: 'library-of-repository',
    enforce: 'pre',
    resolveId(id, _, { ssr }) {
      if (id !== LIBRARY) return
      return ssr ? { id, external: true } : join(ROOT, 'dist/index.js')
    },
    // Vite drops calls chained to an import whose result is destructured (vitejs/vite#19695).
    transform(code, id) {
      if (!id.startsWith(join(ROOT, 'dist/'))) return
      return {
        code: code.replaceAll(/await (import\("[^"]+"\)\.then\(\(n\) => n\.\w+\))/g, 'await ($1)'),
        map: null,
      }
    },
  }
}

/**
 * Adds a Content Security Policy that allows the page's own inline scripts, and nothing from other hosts. Removes the two style
 * attributes of VitePress, which the policy forbids: one is a rule of the theme instead, and a script sets the other again.
 *
 * @param {string} html
 */
function withPolicy(html) {
  const hashes = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g)].map(
    ([, script = '']) => ` 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  )
  const policy = `default-src 'none'; script-src 'self'${hashes.join('')}; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'`
  return html
    .replace(
      '<meta charset="utf-8">',
      `$&\n    <meta http-equiv="Content-Security-Policy" content="${policy}">`,
    )
    .replace(' style="position:relative;"', '')
    .replace(' style="--vp-vh:0px;"', '')
}

/**
 * Colors code by classes, because the policy allows no style attributes.
 *
 * @param {import('hast').Element} token
 */
function withClass({ properties }) {
  const [, name] = /--shiki-(?:token-)?([\w-]+)/.exec(String(properties.style)) ?? []
  delete properties.style
  if (name !== undefined && name !== 'foreground') properties.class = `token-${name}`
}

/** @param {import('hast').Element} block */
function withoutStyle({ properties }) {
  delete properties.style
}

/** @param {import('vitepress').MarkdownRenderer} md */
function alignByClass(md) {
  md.core.ruler.push('aligned-cells', ({ tokens }) => {
    for (const { attrs } of tokens) {
      for (const attr of attrs ?? []) {
        const [, side] = /^text-align:(\w+)$/.exec(attr[1]) ?? []
        if (side !== undefined) attr.splice(0, 2, 'class', `align-${side}`)
      }
    }
  })
}
