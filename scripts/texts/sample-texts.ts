import { upperFirst } from '../../src/contract/text.ts'
import { fill } from '../../src/records/generation/templates.ts'
import type { Texts } from '../../src/records/generation/texts.ts'
import { INTENTS } from '../../src/records/generation/trades.ts'

const LENGTH = 10

/**
 * Paragraphs of a trade, or neutral ones, with facts of one business. Another sample has other paragraphs and other facts;
 * three samples in a row have every paragraph.
 */
export function sampleTexts(
  texts: Texts,
  { trade, sample }: { trade: string; sample: number },
): string {
  const trades: Record<string, Texts['trades']['dentist'] | undefined> = texts.trades
  const found = trade === 'neutral' ? texts.neutral : trades[trade]
  const { services, general } = trades[trade] ?? {}
  const { paragraphs, facts } = found ?? {}
  if (!paragraphs || !facts) {
    const named = Object.keys(trades).filter((name) => trades[name]?.paragraphs)
    return `There are no paragraphs of ${trade || 'no trade'}. There are some of: ${named.join(', ')}.\n`
  }
  const all = INTENTS.flatMap((intent) => paragraphs[intent].map((text) => ({ intent, text })))
  const pick = <Item>(list: readonly Item[], at: number) => list.at(at % list.length) as Item
  const { hours, prices, wait, team } = facts
  const [price_from, price_to] = pick(prices, sample).map((amount) =>
    String(amount).replace(/\B(?=(\d{3})+$)/g, texts.currency?.thousands ?? ''),
  )
  const city = pick(texts.cities, sample)
  const values = {
    ...pick(hours, sample),
    price_from,
    price_to,
    city,
    wait: pick(wait, sample),
    team: pick(team, sample),
    place: fill(texts.in_city, { city }),
    company: fill(pick(trades[trade]?.companies ?? ['{surname} & Co'], sample), {
      city,
      surname: pick(texts.surnames, sample),
    }),
    street: fill(texts.address, {
      number: '14',
      street: pick(texts.streets, sample),
    }),
    year: '1994',
    years: '30',
    name: pick(texts.first_names, sample),
    colleague: pick(texts.first_names, sample + 7),
  }
  const lines = Array.from({ length: LENGTH }, (_, index) => {
    // Five is the number of paragraphs of an intent, and three samples have all of them.
    const at = index * 3 + (sample % 3)
    const { intent, text } = pick(all, at)
    const service = pick([...(services ?? []), ...(general ? [general] : [])], index * 2 + sample)
    const filled = fill(text, { ...values, service, Service: service && upperFirst(service) })
    return `[${intent}: ${service ?? 'no service'}]\n${filled}\n`
  })
  const { length } = JSON.stringify(paragraphs)
  return `${lines.join('\n')}\n${all.length} paragraphs, ${length} characters.\n`
}
