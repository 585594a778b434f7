import { z } from 'zod'
import { INTENTS, TRADES } from './trades.ts'
import type { Intent, TradeName } from './trades.ts'

const Text = z
  .string()
  .regex(/^\S+(?: \S+)*$/, 'Write a text on one line, with single spaces between its words.')

/** The beginning of a word, or a whole word if it ends with a space. */
const Beginning = z.string().regex(/^\S+(?: \S+)* ?$/, 'Write a word in lower case.')

/** Number of paragraphs of a trade for each intent. */
const PARAGRAPHS_BY_TRADE = 7
/** Number of neutral paragraphs for each intent, for a business of no known trade. */
const NEUTRAL_PARAGRAPHS = 6

/**
 * Creates a schema for a list of at least `count` texts, or of exactly `count` if `isFixed`, so that worlds are alike in every
 * language.
 */
function list(count: number, { isFixed = false, of = Text } = {}) {
  const error = { error: toCountError(count, isFixed) }
  return isFixed ? z.array(of).length(count, error) : z.array(of).min(count, error)
}

/** Creates the error message for a list or a map with fewer than `count` items or, if `isFixed`, a different number. */
function toCountError(count: number, isFixed: boolean) {
  return ({ input }: { input?: unknown }) => {
    const found = Object.keys(input as object).length
    const what = found === 0 ? 'Nothing is' : found === 1 ? 'There is one' : `There are ${found}`
    return `${what} here. Write ${isFixed ? `${count}, as in every other language` : `at least ${count}`}.`
  }
}

/** Creates the schema of a map with exactly these keys, whose values all have the same schema. */
function each<Key extends string, Item>(keys: readonly Key[], schema: z.ZodType<Item>) {
  return z.strictObject(
    Object.fromEntries(keys.map((key) => [key, schema])) as Record<Key, z.ZodType<Item>>,
  )
}

const Label = z.strictObject({
  id: z.int().positive().describe('Id in generated worlds, unique among languages'),
  label: Text.describe('English name'),
})

const KeywordPattern = z.strictObject({
  typed: Text.describe('The search as typed; `{service}` and `{city}` are filled in'),
  intent: z.enum(INTENTS).describe('The intent of the search'),
  natural: Text.describe(
    'The search as part of a sentence, with every word that is typed: `{service}`, `{city}`, and `{place}` for a city with its preposition. Words that only a sentence has are in brackets: `[a] dentist {place}`',
  ),
  except: z.array(Text).min(1).optional().describe('Services that the search does not fit'),
  only: z.array(Text).min(1).optional().describe('Services that the search fits; all if omitted'),
  texts: z
    .array(z.int().min(1).max(PARAGRAPHS_BY_TRADE))
    .optional()
    .describe('Numbers of the paragraphs of its intent that answer the search; all if omitted'),
})

/** The pattern of a keyword with the name of a business. */
const BrandPattern = KeywordPattern.omit({ except: true, only: true, texts: true }).extend({
  typed: Text.describe('The search as typed; `{company}` and `{city}` are filled in'),
  natural: Text.describe(
    'The search as part of a sentence, with every word that is typed: `{company}`, and `{place}` for the city with its preposition',
  ),
})

const Hours = z.strictObject({
  hours: Text.describe('`{hours}`: opening hours, as a part of a sentence'),
  opens: Text.describe('`{opens}`: opening time'),
  closes: Text.describe('`{closes}`: closing time'),
})

/**
 * Facts that differ between the businesses of a trade. A project picks one item from each list, and uses it in all of its
 * texts.
 */
const Facts = z.strictObject({
  prices: z
    .array(z.tuple([z.int().positive(), z.int().positive()]))
    .min(3, { error: toCountError(3, false) })
    .describe('`{price_from}` and `{price_to}`: the lowest and highest usual price'),
  hours: z
    .array(Hours)
    .min(3, { error: toCountError(3, false) })
    .describe('Opening hours'),
  wait: list(3).describe('`{wait}`: the usual wait of customers, as in "within {wait}"'),
  team: list(3).describe('`{team}`: the number of people who work there, in words'),
})
export type Facts = z.infer<typeof Facts>

const Paragraphs = (count: number) =>
  each(
    INTENTS,
    z
      .array(Text)
      .length(count, { error: toCountError(count, true) })
      .describe('Paragraphs of three to five sentences, without variants and without the phrase'),
  )

const TradeTexts = z.strictObject({
  name: Text.describe('Name of the trade in fixtures'),
  words: list(3, { of: Beginning }).describe(
    'Words that identify the trade in the name of a business or in a phrase that is in none of the lists, in lower case. Each is the beginning of a word, or a whole word if it ends with a space',
  ),
  companies: list(6, { isFixed: true }).describe(
    'Names of businesses, each with `{surname}` or `{city}`',
  ),
  keywords: z
    .array(KeywordPattern)
    .min(12, { error: toCountError(12, false) })
    .describe('Keywords that people search for'),
  services: list(8, { isFixed: true }).describe(
    'Services of the trade, in the form that fits the texts',
  ),
  general: Text.optional().describe(
    'The value of `{service}` in the text about a keyword that names no service',
  ),
  facts: Facts.optional().describe('Facts that differ between businesses of this trade'),
  paragraphs: Paragraphs(PARAGRAPHS_BY_TRADE)
    .optional()
    .describe('The paragraphs of texts, by intent of the search'),
  sentences: z
    .strictObject({
      any: list(8, { isFixed: true }).describe('About the trade'),
      services: z.record(Text, list(3, { isFixed: true })).describe('About each service'),
    })
    .optional()
    .describe('The sentences of texts, for a trade without paragraphs'),
})
export type KeywordPattern = z.infer<typeof KeywordPattern>
export type TradeTexts = z.infer<typeof TradeTexts>

const NeutralTexts = z.strictObject({
  facts: Facts,
  paragraphs: Paragraphs(NEUTRAL_PARAGRAPHS),
})

const byIntent = (least: number) => each(INTENTS, list(least))

/** The texts of one language for generated worlds: `fixtures/texts/<locale>.yaml`. */
export const Texts = z.strictObject({
  country: Label.describe('The country of projects in this locale (specification 2.3)'),
  language: Label.extend({ own: Text.describe('Name in the language itself') }).describe(
    'The language of their texts',
  ),
  labels: z
    .strictObject({
      report: Text,
      keywords: Text,
      position: Text,
      since: Text.describe(
        'Heading above the changes of positions since the month of another report',
      ),
      new: Text.describe('Mark of a keyword that had no position then'),
      further_keywords: Text.describe('Heading of the keywords without a text in the report'),
      not_found: Text.describe('Mark of a keyword without a position'),
      texts: Text.describe('Line below the title that introduces the texts'),
      chart: Text.describe('Title of the chart'),
      author: Text.describe('Label of the author of the report'),
      no_keywords: Text,
      of: Text.describe('As in "1 of 3"'),
      page: Text,
      replaced: Text.describe('Explanation of question marks in a PDF'),
      summary: z
        .strictObject({
          none: Text.describe('If none of several keywords is among the first ten'),
          one: Text,
          several: Text.describe('If at least two are, but not all'),
          all: Text.describe('If all of several are'),
          single: Text.describe('For a report with one keyword'),
          absent: Text.describe('The same, if the keyword has no position'),
          unknown: Text.describe('If no position is known'),
          before: Text.describe('Continuation of any of these: the figure in the last report'),
          same: Text.describe('The same, if the figure has not changed'),
          earlier: Text.describe('Number of these keywords in the first month of the chart'),
          rise: Text.describe('Optional continuation: the keyword that has risen most'),
          fall: Text.describe('The same, if another keyword has fallen by more'),
        })
        .describe('The sentence that sums up a report, without its full stop'),
    })
    .describe('Labels on the web page and in the PDF of a report'),
  first_names: list(40).describe('Common first names of the country, by its statistics office'),
  surnames: list(60).describe(
    'Common surnames that read well in the name of a business; no two are easily confused',
  ),
  agencies: z
    .strictObject({
      names: list(12, { isFixed: true }),
      kinds: list(9, { isFixed: true }),
    })
    .describe('Name of an agency: one of each list, such as `Northlight` and `Media`'),
  roles: list(4).describe('Job titles of users of an agency: of a person, never a department'),
  mailboxes: z
    .strictObject({
      general: list(4, { isFixed: true }).describe('For any business, the most usual first'),
      booking: Text.describe('For a business that takes bookings'),
      reports: Text.describe('For copies of reports to an agency'),
    })
    .describe('The first parts of e-mail addresses, in lower-case ASCII'),
  report_names: list(3, { isFixed: true }).describe('Names of reports, the usual one first'),
  cities: list(12).describe('Cities of the businesses'),
  in_city: Text.describe('A city with its preposition: `in {city}`'),
  towns: list(20).describe('Other places that phrases may name, with their preposition'),
  nearby: z.strictObject({
    phrases: list(2).describe('Words for a place nearby in phrases, in lower case'),
    place: Text.describe('Words in place of a city in a text, if none is known'),
  }),
  streets: list(40).describe('Streets of the country'),
  address: Text.describe('The form of an address: `{number} {street}`'),
  quotes: z.tuple([Text, Text]).describe('The quotation marks around a phrase that is in no list'),
  signals: each(
    INTENTS.filter((intent): intent is Exclude<Intent, 'place'> => intent !== 'place'),
    list(4),
  ).describe('Words that show the intent of a search, in lower case'),
  headings: byIntent(2).describe(
    'First headings of a text, with `{Phrase}` or `{phrase}`. A text of paragraphs uses the first, or the second if the report already has that',
  ),
  around: z
    .strictObject({ headings: list(2) })
    .describe('Headings with a phrase that is in no list, in quotation marks'),
  brand: z
    .array(BrandPattern)
    .length(8, { error: toCountError(8, true) })
    .describe('Keywords with the name of a business, for companies that a fixture names'),
  currency: z
    .strictObject({
      name: Text.describe('Symbol or name beside every price: `£`'),
      thousands: z.string().describe('Separator of thousands'),
    })
    .optional()
    .describe('Format of prices'),
  neutral: NeutralTexts.optional().describe('Texts for a business of no known trade'),
  sentences: z
    .strictObject({
      openings: each([...INTENTS, 'around'], list(4)).describe(
        'The first sentence of a text; `around` is for a phrase that is in no list',
      ),
      hours: list(6).describe('Sentences with opening hours'),
      advice: byIntent(8).describe('Advice, by intent of the search'),
      sections: list(10).describe('Headings of further blocks'),
      details: list(10).describe('Sentences with details of the project'),
      premises: list(8).describe(
        'Sentences about its premises: how to get there, where to park. Not for a trade that goes to its customers',
      ),
      middles: list(10).describe('Sentences that fit any trade, to continue a block'),
      closings: list(12).describe('Sentences that fit any trade, to end a block'),
      around: list(6).describe('Sentences with a phrase that is in no list'),
    })
    .optional()
    .describe('Sentences of texts, for trades without paragraphs; all without the phrase'),
  home_only: z
    .array(Text)
    .optional()
    .describe(
      'Parts of names, services and paragraphs that are left out in other countries with texts in this language',
    ),
  trades: each(Object.keys(TRADES) as TradeName[], TradeTexts).describe(
    'Small businesses that want to be found on the web',
  ),
})
export type Texts = z.infer<typeof Texts>

/** Texts that are loaded with a locale: all except the labels on the pages of reports. */
export type LocaleTexts = Omit<Texts, 'labels'>
