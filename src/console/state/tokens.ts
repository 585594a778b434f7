import { api } from '../api/client.ts'
import type { RecordOf } from '../api/types.ts'

export type Token = RecordOf<'tokens'>

/** More tokens than these are in no world that people look at. */
const LISTED = 200

export async function listTokens(signal?: AbortSignal): Promise<readonly Token[]> {
  return (await api.list('tokens', { limit: LISTED }, signal)).records
}

/** Whether its requests are answered from this machine. */
export function isUsable({ status, allowed_ips, spent }: Token): boolean {
  return status === 'active' && allowed_ips === undefined && spent === undefined
}

/** A token that sees the projects of an agency, one without limits where there is one; undefined for none. */
export function tokenFor(tokens: readonly Token[], agency: number): Token | undefined {
  const usable = tokens.filter(isUsable)
  const own = usable.filter((token) => token.agency === agency)
  return (
    own.find(({ rate_limit }) => rate_limit === 'unlimited') ??
    own[0] ??
    usable.find((token) => token.agency === null)
  )
}
