import type { ProjectRecord } from '../../src/contract/project.ts'
import type { Sandbox } from '../../src/index.ts'
import type { Values } from '../../src/records/generation/templates.ts'
import type { LocaleWords } from '../../src/records/generation/words.ts'

interface MeasuredText {
  project: number
  keyword: string
  blocks: readonly { h3: string; text: string }[]
  html: readonly string[]
  details: Values
}

export interface Measures {
  texts: number
  blocks: number
  blocksWithPhrase: number
  malformed: number
  foreign: number
  twice: number
  strange: number
  about: number
  phrase: number
  mostFrequent: string
  repeated: number
  named: number
}

export function readTexts(
  sandbox: Sandbox,
  detailsOf: (project: ProjectRecord, keyword: string) => Values,
): Promise<MeasuredText[]>
export function measureTexts(texts: Iterable<MeasuredText>, words: LocaleWords): Measures
