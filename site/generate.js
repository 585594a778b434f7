import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { listExamples } from './examples.js'
import { GENERATED, ROOT, listLinkedFiles, read } from './pages.js'
import { renderReference } from './reference.js'

/** The OpenAPI documents, in the order of the sidebar. */
export const DOCUMENTS = [
  { folder: 'api', file: 'openapi.json', title: 'API reference', prefix: '/api/v1' },
  {
    folder: 'control-api',
    file: 'control-openapi.json',
    title: 'Control API reference',
    prefix: '/_sandbox',
  },
]

/** Languages of files whose names do not show them. */
const LANGUAGES = /** @type {Record<string, string>} */ ({ '': 'docker', '.cfg': 'text' })

/**
 * Writes the generated pages of the site: the reference, a page for each file that the documentation links to, and the runnable
 * examples.
 */
export function generatePages() {
  rmSync(join(ROOT, GENERATED), { recursive: true, force: true })
  for (const { folder, file, title, prefix } of DOCUMENTS) {
    const pages = renderReference(JSON.parse(read(`dist/${file}`)), { title, prefix, file })
    for (const [name, text] of Object.entries(pages)) write(`reference/${folder}/${name}`, text)
  }
  for (const path of listLinkedFiles()) write(`${path}.md`, showFile(path))
  for (const [name, code] of listExamples()) write(`examples/${name}.ts`, code)
}

/** @param {string} path */
function showFile(path) {
  const name = basename(path)
  const language = LANGUAGES[extname(path)] ?? extname(path).slice(1)
  return `---
description: ${path}, a file that the documentation of seo-sandbox links to.
search: false
---

# ${name}

<a href="${name}" download>Download</a>

\`\`\`\`${language}
${read(path)}\`\`\`\`
`
}

/**
 * @param {string} path
 * @param {string} text
 */
function write(path, text) {
  const file = join(ROOT, GENERATED, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
