import { z } from 'zod'
import { INTENTS, TRADES } from './trades.ts'
import type { Intent, TradeName } from './trades.ts'

const Text = z
  .string()
  .regex(/^\S+(?: \S+)*$/, 'Write a text on one line, with single spaces between its words.')

/** A text that may end with a space. */
const Beginning = z.string().regex(/^\S+(?: \S+)* ?$/, 'Write a word in lower case.')

/** Number of paragraphs for each intent. */
const PARAGRAPHS_BY_TRADE = 7
const NEUTRAL_PARAGRAPHS = 6

/**
 * Creates a schema for a list of texts: at least `count`, or exactly so many if `isFixed`, so that worlds are alike in every
 * language.
 */
function list(count: number, { isFixed = false, of = Text } = {}) {
  const error = { error: toCountError(count, isFixed) }
  return isFixed ? z.array(of).length(count, error) : z.array(of).min(count, error)
}

/** Returns the error message for a list or a map with too few or too many items. */
function toCountError(count: number, isFixed: boolean) {
  return ({ input }: { input?: unknown }) => {
    const found = Object.keys(input as object).length
    const what = found === 0 ? 'Nothing is' : found === 1 ? 'There is one' : `There are ${found}`
    return `${what} here. Write ${isFixed ? `${count}, as in every other language` : `at least ${count}`}.`
  }
}

/** Returns the same schema for each of several keys. */
function each<Key extends string, Item>(keys: readonly Key[], schema: z.ZodType<Item>) {
  return z.strictObject(
    Object.fromEntries(keys.map((key) => [key, schema])) as Record<Key, z.ZodType<Item>>,
  )
}

const Label = z.strictObject({
  id: z.int().positive().describe('Its id in generated worlds, which no other language has'),
  label: Text.describe('Its name in English'),
})

const KeywordPattern = z.strictObject({
  typed: Text.describe('What is typed to search: `{service}` and `{city}` are filled in'),
  intent: z.enum(INTENTS).describe('What somebody who types it wants to know'),
  natural: Text.describe(
    'How a sentence says it, with every word that is typed: `{service}`, `{city}`, and `{place}` for a city with its preposition. What only a sentence has is in brackets: `[a] dentist {place}`',
  ),
  except: z.array(Text).min(1).optional().describe('Services that it does not fit'),
  only: z.array(Text).min(1).optional().describe('The services that it fits; all if omitted'),
  texts: z
    .array(z.int().min(1).max(PARAGRAPHS_BY_TRADE))
    .optional()
    .describe('The numbers of the paragraphs of its intent that answer it; all if omitted'),
})

/** Keywords with the name of a business. */
const BrandPattern = KeywordPattern.omit({ except: true, only: true, texts: true }).extend({
  typed: Text.describe('What is typed to search: `{company}` and `{city}` are filled in'),
  natural: Text.describe(
    'How a sentence says it, with every word that is typed: `{company}`, and `{place}` for the city with its preposition',
  ),
})

const Hours = z.strictObject({
  hours: Text.describe('`{hours}`: when it is open, as a part of a sentence'),
  opens: Text.describe('`{opens}`: the hour at which it opens'),
  closes: Text.describe('`{closes}`: the hour at which it closes'),
})

/**
 * Facts that differ between the businesses of a trade. A project picks one item from each list, and uses it in all of its
 * texts.
 */
const Facts = z.strictObject({
  prices: z
    .array(z.tuple([z.int().positive(), z.int().positive()]))
    .min(3, { error: toCountError(3, false) })
    .describe('`{price_from}` and `{price_to}`: the least and the most that it usually charges'),
  hours: z
    .array(Hours)
    .min(3, { error: toCountError(3, false) })
    .describe('When it is open'),
  wait: list(3).describe('`{wait}`: how long customers usually wait, as in "within {wait}"'),
  team: list(3).describe('`{team}`: how many people work there, in words'),
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
  name: Text.describe('What a fixture calls it'),
  words: list(3, { of: Beginning }).describe(
    'Words by which a phrase in none of the lists, or the name of a business, is recognised, in lower case. Each is the beginning of a word, or a whole word where it ends with a space',
  ),
  companies: list(6, { isFixed: true }).describe(
    'Names of businesses, each with `{surname}` or `{city}`',
  ),
  keywords: z
    .array(KeywordPattern)
    .min(12, { error: toCountError(12, false) })
    .describe('Keywords to search for it'),
  services: list(8, { isFixed: true }).describe('What it offers, in the form that fits the texts'),
  general: Text.optional().describe(
    'What `{service}` stands for in the text about a keyword that names none of the services',
  ),
  facts: Facts.optional().describe('What differs between businesses of this trade'),
  paragraphs: Paragraphs(PARAGRAPHS_BY_TRADE)
    .optional()
    .describe('What texts are made of, by what somebody wants to know'),
  sentences: z
    .strictObject({
      any: list(8, { isFixed: true }).describe('About the trade'),
      services: z.record(Text, list(3, { isFixed: true })).describe('About each service'),
    })
    .optional()
    .describe('What texts are made of where there are no paragraphs'),
})
export type KeywordPattern = z.infer<typeof KeywordPattern>
export type TradeTexts = z.infer<typeof TradeTexts>

const NeutralTexts = z.strictObject({
  facts: Facts,
  paragraphs: Paragraphs(NEUTRAL_PARAGRAPHS),
})

const byIntent = (least: number) => each(INTENTS, list(least))

/** The texts of one language that generated worlds are written with: `fixtures/texts/<locale>.yaml`. */
export const Texts = z.strictObject({
  country: Label.describe('The country of its projects (specification 2.3)'),
  language: Label.extend({ own: Text.describe('Its name in the language itself') }).describe(
    'The language of their texts',
  ),
  labels: z
    .strictObject({
      report: Text,
      keywords: Text,
      position: Text,
      since: Text.describe(
        'Above what positions have changed by since the month of another report',
      ),
      new: Text.describe('Of a keyword that had no position then'),
      further_keywords: Text.describe('Those without a text in the report'),
      not_found: Text.describe('Of keywords without a position'),
      texts: Text.describe('Below the title: what the texts are'),
      chart: Text.describe('What the chart shows'),
      author: Text.describe('Who the report is by'),
      no_keywords: Text,
      of: Text.describe('As in "1 of 3"'),
      page: Text,
      replaced: Text.describe('What a question mark in a PDF may stand for'),
      summary: z
        .strictObject({
          none: Text.describe('None of several keywords is among the first ten'),
          one: Text,
          several: Text.describe('At least two, and not all'),
          all: Text.describe('All of several'),
          single: Text.describe('Of a report with one keyword'),
          absent: Text.describe('The same where it has no position'),
          unknown: Text.describe('No position is known'),
          before: Text.describe('What follows one of these: what it was in the last report'),
          same: Text.describe('The same where it has not changed'),
          earlier: Text.describe('Number of these keywords in the first month of the chart'),
          rise: Text.describe('What may follow: the keyword that has risen most'),
          fall: Text.describe('The same where one has fallen more'),
        })
        .describe('The sentence that sums up a report, without its full stop'),
    })
    .describe('What the web page and the PDF of a report say besides its texts'),
  first_names: list(40).describe('Common first names of the country, by its statistics office'),
  surnames: list(60).describe(
    'Common surnames, which read well in the name of a business, and of which no two are easily confused',
  ),
  agencies: z
    .strictObject({
      names: list(12, { isFixed: true }),
      kinds: list(9, { isFixed: true }),
    })
    .describe('An agency is called by one of each: `Northlight` and `Media`'),
  roles: list(4).describe('What a user of an agency is: a person and not a department'),
  mailboxes: z
    .strictObject({
      general: list(4, { isFixed: true }).describe('For any business, the usual one first'),
      booking: Text.describe('For one that takes bookings'),
      reports: Text.describe('Where an agency receives copies of reports'),
    })
    .describe('The first parts of e-mail addresses, in lower-case ASCII'),
  report_names: list(3, { isFixed: true }).describe(
    'What reports are called, the usual name first',
  ),
  cities: list(12).describe('Where businesses are'),
  in_city: Text.describe('What is said of a city: `in {city}`'),
  towns: list(20).describe('Other places that phrases may name, with their preposition'),
  nearby: z.strictObject({
    phrases: list(2).describe('What phrases say for a place near by, in lower case'),
    place: Text.describe('What a text says where no city is known'),
  }),
  streets: list(40).describe('Streets of the country'),
  address: Text.describe('The form of an address: `{number} {street}`'),
  quotes: z.tuple([Text, Text]).describe('The quotation marks around a phrase that is in no list'),
  signals: each(
    INTENTS.filter((intent): intent is Exclude<Intent, 'place'> => intent !== 'place'),
    list(4),
  ).describe('Words that show what somebody wants to know, in lower case'),
  headings: byIntent(2).describe(
    'The first heading of a text, with `{Phrase}` or `{phrase}`. Where texts are paragraphs, the first one is used, and the second one if the report has that already',
  ),
  around: z
    .strictObject({ headings: list(2) })
    .describe('What is written around a phrase that is in no list, in quotation marks'),
  brand: z
    .array(BrandPattern)
    .length(8, { error: toCountError(8, true) })
    .describe('Keywords with the name of a business, for companies that a fixture names'),
  currency: z
    .strictObject({
      name: Text.describe('What stands beside every price: `£`'),
      thousands: z.string().describe('What separates thousands'),
    })
    .optional()
    .describe('How prices are written'),
  neutral: NeutralTexts.optional().describe('For a business of none of the trades'),
  sentences: z
    .strictObject({
      openings: each([...INTENTS, 'around'], list(4)).describe(
        'The first sentence of a text; `around` is for a phrase that is in no list',
      ),
      hours: list(6).describe('When a business is open'),
      advice: byIntent(8).describe('Advice by what somebody wants to know'),
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
    .describe('What the texts of trades without paragraphs are made of, without the phrase'),
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

/** Texts that are loaded with a locale. The rest is needed earlier, or by the pages of reports. */
export type LocaleTexts = Omit<Texts, 'labels'>
