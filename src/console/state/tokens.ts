import { api } from '../api/client.ts'
import type { RecordOf } from '../api/types.ts'

export type Token = RecordOf<'tokens'>

/** Worlds that people look at have fewer tokens than this. */
const LISTED = 200

export async function listTokens(signal?: AbortSignal): Promise<readonly Token[]> {
  return (await api.list('tokens', { limit: LISTED }, signal)).records
}

/** Whether its requests are answered from this machine. */
export function isUsable({ status, allowed_ips, spent, abilities }: Token): boolean {
  return (
    status === 'active' &&
    allowed_ips === undefined &&
    spent === undefined &&
    abilities.includes('*')
  )
}

/** A token that sees the projects of an agency, one without limits where there is one; undefined for none. */
export function tokenFor(tokens: readonly Token[], agency: number): Token | undefined {
  const fitting = tokens.filter(
    (token) => isUsable(token) && (token.agency === agency || token.agency === null),
  )
  return fitting.find(({ rate_limit }) => rate_limit === 'unlimited') ?? fitting[0]
}
