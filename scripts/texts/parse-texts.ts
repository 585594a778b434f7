import type { Problem } from '../../src/contract/validation.ts'
import { FixtureError } from '../../src/fixtures/fixture-error.ts'
import { parseYaml } from '../../src/fixtures/parse-yaml.ts'
import { ProblemList } from '../../src/fixtures/read-sources.ts'
import type { FixtureFile, Source } from '../../src/fixtures/source.ts'
import type { Texts } from '../../src/records/generation/texts.ts'
import { checkTexts } from './check-texts.ts'

/** The texts of a language that are as they should be. */
interface Language {
  locale: string
  texts: Texts
  source: Source
}

/**
 * Reads the texts of generated worlds, a file for each language, which is named after its locale.
 *
 * @throws FixtureError with the problems of all files.
 */
export function parseTexts(files: readonly FixtureFile[]): [locale: string, texts: Texts][] {
  const problems = new ProblemList(
    files.map(({ name }) => name),
    [],
  )
  const languages: Language[] = []
  for (const file of files) {
    const source = parseYaml(file)
    if (Array.isArray(source)) {
      for (const problem of source) problems.add(problem)
      continue
    }
    const checked = checkTexts(source.document)
    if ('problems' in checked) problems.addFrom(source, [], checked.problems)
    else languages.push({ locale: localeOf(file), texts: checked.value, source })
  }
  for (const [index, language] of languages.entries()) {
    problems.addFrom(language.source, [], findShared(language, languages.slice(0, index)))
  }
  if (problems.length > 0) throw new FixtureError(problems.inReadingOrder(false))
  return languages.map(({ locale, texts }) => [locale, texts])
}

/** What a language shares with another one: a world may be in both. */
function findShared({ texts }: Language, others: readonly Language[]): Problem[] {
  const facts: [path: string[], read: (texts: Texts) => unknown][] = [
    [['country', 'id'], ({ country }) => country.id],
    [['country', 'label'], ({ country }) => country.label],
    [['language', 'id'], ({ language }) => language.id],
    [['language', 'label'], ({ language }) => language.label],
    [['language', 'own'], ({ language }) => language.own],
  ]
  return facts.flatMap(([path, read]) => {
    const other = others.find((language) => read(language.texts) === read(texts))
    if (!other) return []
    const message = `${other.source.name} has this too. Give each language its own.`
    return [{ path, message }]
  })
}

/** `da` of `fixtures/texts/da.yaml`. */
function localeOf({ name }: FixtureFile): string {
  return name.replace(/^.*\//, '').replace(/\.yaml$/, '')
}
