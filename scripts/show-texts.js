import { readFile } from 'node:fs/promises'
import { importBundled } from './import-bundled.js'

/**
 * Checks the texts of a language, and prints paragraphs of one of its trades as they read in reports: a paragraph of each
 * intent with each service in turn. `node scripts/show-texts.js en dentist`, with a number for another sample.
 */
const [locale = 'en', trade = '', sample = '0'] = process.argv.slice(2)
const name = `fixtures/texts/${locale}.yaml`
const { parseTexts } = await importBundled('scripts/texts/parse-texts.ts')
const { sampleTexts } = await importBundled('scripts/texts/sample-texts.ts')
const text = await readFile(new URL(`../${name}`, import.meta.url), 'utf8')
try {
  const [[, texts]] = parseTexts([{ name, text }])
  process.stdout.write(sampleTexts(texts, { trade, sample: Number(sample) }))
} catch (error) {
  if (!(error instanceof Error)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
