import { validate } from '../../src/contract/validate.ts'
import type { Problem, Validated } from '../../src/contract/validation.ts'
import { FixtureError } from '../../src/fixtures/fixture-error.ts'
import { parseYaml } from '../../src/fixtures/parse-yaml.ts'
import { ProblemList } from '../../src/fixtures/read-sources.ts'
import type { FixtureFile, Source } from '../../src/fixtures/source.ts'
import { NamesFile } from '../../src/records/generation/names.ts'
import type { Texts } from '../../src/records/generation/texts.ts'
import { checkTexts } from './check-texts.ts'

/** The valid document of a locale. */
interface Checked<Document> {
  locale: string
  document: Document
  source: Source
}

/**
 * Reads the texts of generated worlds, a file for each language, which is named after its locale.
 *
 * @throws FixtureError with the problems of all files.
 */
export function parseTexts(files: readonly FixtureFile[]): [locale: string, texts: Texts][] {
  return parseFiles(files, { check: checkTexts, findShared: findSharedTexts })
}

/**
 * Reads the names of countries, a file for each, which is named after its locale.
 *
 * @throws FixtureError with the problems of all files.
 */
export function parseNames(files: readonly FixtureFile[]): [locale: string, names: NamesFile][] {
  return parseFiles(files, { check: (document) => validate(NamesFile, document) })
}

interface Checks<Document> {
  check: (document: unknown) => Validated<Document>
  findShared?: (document: Document, others: readonly Checked<Document>[]) => Problem[]
}

function parseFiles<Document>(
  files: readonly FixtureFile[],
  { check, findShared = () => [] }: Checks<Document>,
): [locale: string, document: Document][] {
  const problems = new ProblemList(
    files.map(({ name }) => name),
    [],
  )
  const read: Checked<Document>[] = []
  for (const file of files) {
    const source = parseYaml(file)
    if (Array.isArray(source)) {
      for (const problem of source) problems.add(problem)
      continue
    }
    const checked = check(source.document)
    if ('problems' in checked) problems.addFrom(source, [], checked.problems)
    else read.push({ locale: localeOf(file), document: checked.value, source })
  }
  for (const [index, { document, source }] of read.entries()) {
    problems.addFrom(source, [], findShared(document, read.slice(0, index)))
  }
  if (problems.length > 0) throw new FixtureError(problems.inReadingOrder(false))
  return read.map(({ locale, document }) => [locale, document])
}

/** Problems of values that two languages share: a world may be in both. */
function findSharedTexts(texts: Texts, others: readonly Checked<Texts>[]): Problem[] {
  const facts: [path: string[], read: (texts: Texts) => unknown][] = [
    [['country', 'id'], ({ country }) => country.id],
    [['country', 'label'], ({ country }) => country.label],
    [['language', 'id'], ({ language }) => language.id],
    [['language', 'label'], ({ language }) => language.label],
    [['language', 'own'], ({ language }) => language.own],
  ]
  return facts.flatMap(([path, read]) => {
    const other = others.find(({ document }) => read(document) === read(texts))
    if (!other) return []
    const message = `${other.source.name} has this too. Give each language its own.`
    return [{ path, message }]
  })
}

/** `da` of `fixtures/texts/da.yaml`. */
function localeOf({ name }: FixtureFile): string {
  return name.replace(/^.*\//, '').replace(/\.yaml$/, '')
}
