import { describe } from '../../src/contract/text.ts'
import { splitSentences } from '../../src/records/generation/templates.ts'
import type { KeywordPattern } from '../../src/records/generation/texts.ts'
import { checkPlaceholders, fillExamples } from './check-template.ts'

/** Requirements of a paragraph. */
interface ParagraphRules {
  placeholders: readonly string[]
  /** The currency beside every price. */
  currency: string
  /** Phrases that are typed to search for its trade. */
  keywords: readonly Pick<KeywordPattern, 'typed'>[]
  /** Phrases of keywords for a place near by. */
  nearby: readonly string[]
}

const LEAST_LENGTH = 130
const MOST_LENGTH = 340
const LEAST_SENTENCES = 3
const MOST_SENTENCES = 5
const LEAST_SENTENCE_LENGTH = 12

const SERVICE = /\{[sS]ervice\}/g
const PLACE = /\{(?:city|place)\}/g
const PRICE = /\{price_(?:from|to)\}/

/** The fault of a paragraph, as a sentence; undefined for none. */
export function checkParagraph(paragraph: string, rules: ParagraphRules): string | undefined {
  const { placeholders, currency } = rules
  const sentences = splitSentences(paragraph)
  const text = fillExamples(paragraph)
  const count = (pattern: RegExp) => paragraph.match(pattern)?.length ?? 0
  return (
    checkPlaceholders(paragraph, placeholders) ??
    (/[()|[\]]/.test(paragraph) ? 'A paragraph has no brackets and no variants.' : undefined) ??
    (/[!;—–]/.test(paragraph)
      ? 'A paragraph has no exclamation mark, semicolon or dash. Write another sentence.'
      : undefined) ??
    (/\d/.test(paragraph)
      ? 'A paragraph has no digits. Write a small number in words, or use a placeholder.'
      : undefined) ??
    (/ {2}|\s[,.?:]|,,|\.\.|[.?] \p{Ll}/u.test(text)
      ? 'A space or a full stop is in the wrong place, or a sentence begins in lower case.'
      : undefined) ??
    (/^\p{Lu}.*[.?]$/u.test(text)
      ? undefined
      : 'A paragraph begins with a capital letter and ends with a full stop.') ??
    (sentences.length < LEAST_SENTENCES || sentences.length > MOST_SENTENCES
      ? `A paragraph has ${LEAST_SENTENCES} to ${MOST_SENTENCES} sentences, and this one ${sentences.length}.`
      : undefined) ??
    (paragraph.length < LEAST_LENGTH || paragraph.length > MOST_LENGTH
      ? `A paragraph has ${LEAST_LENGTH} to ${MOST_LENGTH} characters, and this one ${paragraph.length}.`
      : undefined) ??
    (sentences.some(({ length }) => length < LEAST_SENTENCE_LENGTH)
      ? 'A sentence is too short. It might be in another paragraph too.'
      : undefined) ??
    (count(SERVICE) > 2 ? 'A paragraph has {service} twice at most.' : undefined) ??
    (count(PLACE) > 1 ? 'A paragraph has {city} or {place} once at most.' : undefined) ??
    (sentences.some((sentence) => PRICE.test(sentence) && !sentence.includes(currency))
      ? `A sentence has a price without ${describe(currency)}.`
      : undefined) ??
    findMention(sentences, rules)
  )
}

/** Finds a keyword whose words are all in each of two sentences: that is too often, as a heading has them already. */
function findMention(
  sentences: readonly string[],
  { keywords, nearby }: ParagraphRules,
): string | undefined {
  const lower = sentences.map((sentence) => sentence.toLowerCase().replaceAll('{place}', '{city}'))
  const mentioned = keywords
    .map(({ typed }) => nearby.reduce((text, near) => text.replace(near, '{city}'), typed))
    .find((typed) => {
      const words = typed.toLowerCase().split(' ')
      return lower.filter((text) => words.every((word) => text.includes(word))).length > 1
    })
  return mentioned && `Two sentences have every word of the keyword ${describe(mentioned)}.`
}
