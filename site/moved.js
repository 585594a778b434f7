import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { titleOf, toAddress } from './pages.js'

/** Removed pages of the repository, each with the page that has its content now. */
export const MOVED = {
  'docs/exec.md': 'docs/judging.md',
  'docs/review.md': 'docs/judging.md',
  'docs/rehearse.md': 'docs/judging.md',
  'docs/rehearse-commands.md': 'docs/judging.md',
  'docs/going-live.md': 'docs/judging.md',
  'docs/https.md': 'docs/any-language.md',
  'docs/starting-and-stopping.md': 'docs/any-language.md',
  'docs/worlds.md': 'docs/any-language.md',
  'docs/browser.md': 'docs/test-runners.md',
  'docs/typescript.md': 'docs/test-runners.md',
  'docs/session-format.md': 'docs/formats.md',
  'docs/snapshot-format.md': 'docs/formats.md',
  'docs/partners.md': 'docs/hosting/README.md',
  'docs/hosting/ten-partners.md': 'docs/hosting/README.md',
  'docs/hosting/capacity.md': 'docs/hosting/several-servers.md',
  'docs/decisions/0001-a-pure-engine.md': 'docs/README.md',
  'docs/decisions/0002-tsc-alone.md': 'docs/README.md',
  'docs/decisions/0005-commands-as-the-only-change.md': 'docs/README.md',
  'docs/decisions/0015-one-process.md': 'docs/decisions/0016-bounded-instead-of-scheduled.md',
  'docs/decisions/0023-the-life-of-a-report.md': 'docs/README.md',
}

/** Files of the site that only lead from an old address to the new one. */
export const REDIRECTS = new Set(Object.keys(MOVED).map(toFile))

/**
 * Writes a page at each old address that leads to the new one: static hosts cannot be told to redirect.
 *
 * @param {string} outDir
 */
export function writeRedirects(outDir) {
  for (const [old, page] of Object.entries(MOVED)) {
    const file = toFile(old)
    // Relative, so that it is the same below any base.
    const target = '../'.repeat(file.split('/').length - 1) + toAddress(page).slice(1)
    writeFileSync(join(outDir, file), redirect(target, titleOf(page)))
  }
}

/** @param {string} page */
function toFile(page) {
  return toAddress(page).slice(1)
}

/**
 * @param {string} target
 * @param {string} title
 */
function redirect(target, title) {
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="refresh" content="0; url=${target}">
    <link rel="canonical" href="${target}">
    <link rel="icon" href="data:,">
    <title>${title}</title>
  </head>
  <body>
    <p>This page has moved: <a href="${target}">${title}</a></p>
  </body>
</html>
`
}
