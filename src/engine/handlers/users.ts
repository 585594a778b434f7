import type { TokenIdentity } from '../../contract/token.ts'
import { refuse } from '../messages.ts'
import type { OperationContext, OperationResult } from '../messages.ts'
import { inListOrder, listResult } from '../pagination.ts'
import { parseId } from '../parameters.ts'
import { presentUser } from '../present.ts'

/** Specification 4.10: the identity of the token, without a wrapper. */
export function getMe({ token }: OperationContext): OperationResult {
  const body: TokenIdentity = {
    id: token.id,
    name: token.name,
    agency_id: token.agency,
    status: token.status,
    abilities: token.abilities,
  }
  return { body }
}

/** Specification 4.9: the users of the token's agency; all users for a super-admin token (G-018). */
export function listUsers(context: OperationContext): OperationResult {
  const { token, records } = context
  const users = token.agency === null ? records.all('users') : records.usersOf(token.agency)
  const ordered = inListOrder(context, users, ({ name }) => name)
  return listResult(context, ordered, (user) => presentUser(user, records))
}

/** Specification 4.2: 404 for a user that the token may not see. */
export function getUser(context: OperationContext): OperationResult {
  const { params, token, records, policy } = context
  const id = parseId(params[0] ?? '', policy)
  if (typeof id !== 'number') return id
  const user = records.get('users', id)
  if (!user) return refuse('user_not_found')
  const isVisible =
    token.agency === null ||
    user.agency === token.agency ||
    (policy('embedded-user') === 'visible' && isEmbedded(id, token.agency, context))
  return isVisible ? { body: { data: presentUser(user, records) } } : refuse('user_not_found')
}

/** True if the user appears in a project of the agency, or in one of its reports (G-017). */
function isEmbedded(user: number, agency: number, { records }: OperationContext): boolean {
  return records
    .projectsOf({ agency, status: undefined })
    .some(
      ({ id, managing_user, created_by }) =>
        managing_user === user ||
        created_by === user ||
        records
          .reportsOf(id)
          .some(({ approved_by, managed_by }) => approved_by === user || managed_by === user),
    )
}
