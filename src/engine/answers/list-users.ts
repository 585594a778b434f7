import type { Exchange } from '../exchange.ts'
import type { Outcome } from '../messages.ts'
import { presentUser } from '../present.ts'
import { inListOrder, listAnswer } from './lists.ts'

/** Specification 4.9: the agency's users; everyone for a super-admin token (G-018). */
export function listUsers(exchange: Exchange): Outcome {
  const { token, records } = exchange
  const users = token.agency === null ? records.all('users') : records.usersOf(token.agency)
  return listAnswer(
    exchange,
    inListOrder(exchange, users, ({ name }) => name),
    (user) => presentUser(user, records),
  )
}
