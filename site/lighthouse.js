import { resolve } from 'node:path'
import { launch } from 'chrome-launcher'
import lighthouse from 'lighthouse'
import { serveFolder } from './serve.js'

/**
 * Runs Lighthouse over the built site, as on a phone, and fails if the median of three runs is below 95.
 * Run `node site/lighthouse.js`, with the folder and the base if they differ from the defaults.
 */
const [folder = 'site/dist', base = '/'] = process.argv.slice(2)
const PAGES = ['', 'docs/fixtures.html']
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo']
const RUNS = 3
const LEAST = 95

const site = await serveFolder(resolve(folder), base)
const chrome = await launch({
  chromePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  chromeFlags: [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
  ],
})
try {
  for (const page of PAGES) {
    const url = `${site.origin}${base}${page}`
    const runs = []
    for (let run = 0; run < RUNS; run += 1) runs.push(await measure(url))
    for (const category of CATEGORIES) {
      const scores = runs.map(({ categories }) =>
        Math.round((categories[category]?.score ?? 0) * 100),
      )
      const median = scores.toSorted((a, b) => a - b)[Math.floor(RUNS / 2)] ?? 0
      console.log(`${base}${page}  ${category}  ${median} (${scores.join(', ')})`)
      if (median < LEAST) process.exitCode = 1
    }
    for (const { id, title } of failedAudits(runs)) console.log(`  ${id}: ${title}`)
  }
} finally {
  chrome.kill()
  site.close()
}

/** @param {string} url */
async function measure(url) {
  const result = await lighthouse(url, {
    port: chrome.port,
    onlyCategories: CATEGORIES,
    logLevel: 'error',
  })
  if (result === undefined) throw new Error(`Lighthouse had no result for ${url}.`)
  return result.lhr
}

/**
 * Returns the audits with a score below 0.9 in the first run.
 *
 * @param {import('lighthouse').Result[]} runs
 */
function failedAudits([first]) {
  return Object.values(first?.audits ?? {}).filter(({ score }) => score !== null && score < 0.9)
}
