import type { TokenIdentity } from '../../contract/token.ts'
import type { Exchange } from '../exchange.ts'
import type { Outcome } from '../messages.ts'

/** Specification 4.10: the token itself, bare. */
export function getMe({ token }: Exchange): Outcome {
  const body: TokenIdentity = {
    id: token.id,
    name: token.name,
    agency_id: token.agency,
    status: token.status,
    abilities: token.abilities,
  }
  return { body }
}
