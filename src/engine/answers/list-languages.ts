import type { Exchange } from '../exchange.ts'
import type { Outcome } from '../messages.ts'
import { presentLabel } from '../present.ts'
import { inListOrder, listAnswer } from './lists.ts'

/** Specification 4.9. */
export function listLanguages(exchange: Exchange): Outcome {
  const languages = exchange.records.all('languages')
  return listAnswer(
    exchange,
    inListOrder(exchange, languages, ({ label }) => label),
    presentLabel,
  )
}
