import type { OperationContext } from '../operation-context.ts'
import type { Outcome } from '../messages.ts'
import { presentUser } from '../present.ts'
import { inListOrder, listOutcome } from './lists.ts'

/** Specification 4.9: the agency's users; everyone for a super-admin token (G-018). */
export function listUsers(context: OperationContext): Outcome {
  const { token, records } = context
  const users = token.agency === null ? records.all('users') : records.usersOf(token.agency)
  const ordered = inListOrder(context, users, ({ name }) => name)
  return listOutcome(context, ordered, (user) => presentUser(user, records))
}
