import type { TokenIdentity } from '../../contract/token.ts'
import type { OperationContext } from '../operation-context.ts'
import type { Outcome } from '../messages.ts'

/** Specification 4.10: the identity of the token, without a wrapper. */
export function getMe({ token }: OperationContext): Outcome {
  const body: TokenIdentity = {
    id: token.id,
    name: token.name,
    agency_id: token.agency,
    status: token.status,
    abilities: token.abilities,
  }
  return { body }
}
