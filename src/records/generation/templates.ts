import { memoizeByObject } from '../../contract/cache.ts'
import type { Random } from '../random.ts'

/** Values of placeholders. A template with a placeholder whose value is undefined cannot be filled in. */
export type Values = Readonly<Record<string, string | undefined>>

interface Slot {
  name: string
}
type Phrase = readonly (string | Slot)[]

/**
 * A parsed text with variants: `(Ring|Call)` stands for one of its alternatives. Placeholders are filled in:
 *
 * - `{phrase}` is the keyword as part of a sentence, `{Phrase}` as the beginning of a heading
 * - `{service}` is the service in the keyword, or else the trade's general one; `{Service}` has a capital letter
 * - `{city}` is the city of the business, or in sentences the one in the keyword; `{place}` is the city of the business with its
 *   preposition (`in Leeds`)
 * - all others are details of the project, such as `{company}`, `{street}` with a number, the `{year}` of foundation, `{hours}`,
 *   `{price_from}`, and the first names `{name}` and `{colleague}`
 *
 * A template with a placeholder whose value is unknown is left out.
 */
export interface Template {
  /** Strings, placeholders and lists of alternatives. */
  parts: readonly (string | Slot | readonly Phrase[])[]
  placeholders: readonly string[]
}

const ALTERNATIVES = /\(([^()]*\|[^()]*)\)/
const PLACEHOLDER = /\{(\w+)\}/
const PLACEHOLDERS = /\{(\w+)\}/g

export const parseTemplates = memoizeByObject((list: readonly string[]) => list.map(parseTemplate))

/** Expands each template of a list to all of its variants, as templates without alternatives. */
export const expandTemplates = memoizeByObject((list: readonly string[]) =>
  list.flatMap(expand).map(parseTemplate),
)

/** Returns every variant of a template. */
export function expand(template: string): string[] {
  const [variants, list] = ALTERNATIVES.exec(template) ?? []
  if (variants === undefined || list === undefined) return [template]
  return list.split('|').flatMap((one) => expand(template.replace(variants, () => one)))
}

function parseTemplate(template: string): Template {
  const parts = template
    .split(ALTERNATIVES)
    .flatMap((part, index): Template['parts'] =>
      index % 2 === 0 ? parsePhrase(part) : [part.split('|').map(parsePhrase)],
    )
  const placeholders = [...template.matchAll(PLACEHOLDERS)].map(([, name = '']) => name)
  return { parts, placeholders }
}

function parsePhrase(text: string): Phrase {
  return text.split(PLACEHOLDER).map((part, index) => (index % 2 === 0 ? part : { name: part }))
}

export function canRender({ placeholders }: Template, values: Values): boolean {
  return placeholders.every((name) => values[name] !== undefined)
}

/** Renders a random variant of a template. */
export function render({ parts }: Template, values: Values, random: Random): string {
  let text = ''
  for (const part of parts) {
    if (typeof part === 'string') text += part
    else if ('name' in part) text += values[part.name] ?? ''
    else for (const piece of random.pick(part)) text += textOf(piece, values)
  }
  return text
}

function textOf(piece: string | Slot, values: Values): string {
  return typeof piece === 'string' ? piece : (values[piece.name] ?? '')
}

/** Replaces placeholders in a template without alternatives; placeholders without a value stay. */
export function fill(text: string, values: Values): string {
  return text.replaceAll(PLACEHOLDERS, (written, name: string) => values[name] ?? written)
}

/** Splits a text, which may contain placeholders, into sentences. */
export function splitSentences(text: string): string[] {
  return text.split(/(?<=[.?]) (?=[\p{Lu}\p{N}{“„»])/u)
}
