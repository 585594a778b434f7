import type { Exchange } from '../exchange.ts'
import type { Outcome } from '../messages.ts'
import { presentLabel } from '../present.ts'
import { inListOrder, listAnswer } from './lists.ts'

/** Specification 4.9: the countries that apply to SEO projects. */
export function listCountries(exchange: Exchange): Outcome {
  const countries = exchange.records.all('countries').filter(({ applicable }) => applicable)
  return listAnswer(
    exchange,
    inListOrder(exchange, countries, ({ label }) => label),
    presentLabel,
  )
}
