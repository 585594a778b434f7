import { describe } from '../../src/contract/text.ts'
import { suggest } from '../../src/contract/suggestion.ts'
import { expand, fill } from '../../src/records/generation/templates.ts'

/** Requirements of a template. */
export interface TemplateRules {
  form: keyof typeof FORMS
  /** Placeholders that can be filled in. */
  placeholders: readonly string[]
  /** Placeholders of which at least one is required. */
  needs?: readonly string[]
}

const FORMS = {
  heading: {
    pattern: /^\p{Lu}.{4,88}[^.]$/u,
    rule: 'A heading begins with a capital letter, has 6 to 90 characters and no full stop at its end',
  },
  sentence: {
    pattern: /^[\p{Lu}\d].{35,250}[.?]$/u,
    rule: 'A sentence begins with a capital letter, has 37 to 252 characters and ends with a full stop',
  },
} as const

/** Values of placeholders for samples. */
const EXAMPLES = {
  company: 'Kjeldmose & Co',
  city: 'Bramsted',
  street: 'Kirkevej 12',
  year: '1987',
  hours: 'from nine to five',
  name: 'Gerda',
  colleague: 'Ivar',
  place: 'in Bramsted',
  opens: 'nine',
  closes: 'five',
  years: '25',
  price_from: '60',
  price_to: '1,250',
  wait: 'a week',
  team: 'four',
  service: 'kites',
  Service: 'Kites',
  phrase: 'kites in Bramsted',
  Phrase: 'Kites in Bramsted',
}

/** A text with examples in place of its placeholders. */
export function fillExamples(text: string): string {
  return fill(text, EXAMPLES)
}

const PLACEHOLDER = /\{([^{}]*)\}/g

/** The fault of a template in any of its variants, as a sentence; undefined for none. */
export function checkTemplate(
  template: string,
  { form, placeholders, needs }: TemplateRules,
): string | undefined {
  if (/@|\w\.\w{2}|www|\d{4}/.test(template)) {
    return 'This looks like an address or a telephone number, which may be a real one. Leave it out.'
  }
  if (/\([^)]*\(/.test(template)) {
    return 'Alternatives are inside of others. Write (one|other) without further brackets.'
  }
  return (
    checkPlaceholders(template, placeholders, needs) ??
    expand(template)
      .map((text) => checkVariant(text, form))
      .find((message) => message !== undefined)
  )
}

/** Checks the placeholders of a text: only permitted ones, and one of those that it needs. */
export function checkPlaceholders(
  text: string,
  placeholders: readonly string[],
  needs?: readonly string[],
): string | undefined {
  const found = [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name)
  const unknown = found.find((name) => !placeholders.includes(name))
  if (unknown !== undefined) {
    return `{${unknown}} is not filled in here. ${suggest(`{${unknown}}`, placeholders.map(inBraces))}`
  }
  if (!needs || needs.some((name) => found.includes(name))) return undefined
  return `${describe(text)} lacks a placeholder. Write ${needs.map(inBraces).join(' or ')}.`
}

function inBraces(name: string): string {
  return `{${name}}`
}

function checkVariant(variant: string, form: TemplateRules['form']): string | undefined {
  const text = fillExamples(variant)
  const { pattern, rule } = FORMS[form]
  if (/[{}[\]()|]/.test(text)) {
    return `A bracket is left in ${describe(text)}. Write alternatives as (one|other).`
  }
  if (/ {2}|\s[,.?:]|,,|[.?] \p{Ll}/u.test(text)) {
    return `${describe(text)} has two spaces or commas in a row, a space before a punctuation mark, or a sentence that begins in lower case.`
  }
  if (variant.split('{phrase}').length > 2)
    return `${describe(text)} has {phrase} twice. Write it once.`
  return pattern.test(text) ? undefined : `${rule}. This one reads ${describe(text)}.`
}
