import type { HeaderPairs } from './har-file.ts'
import { schemeOf } from './redactor.ts'
import type { Redactor } from './redactor.ts'
import type { RecordedRequest } from './recorded-request.ts'

/** The headers of a recorded request, without credentials and cookies; `show` hides bearer values in any other text. */
export function showRequestHeaders(
  { sender }: Pick<RecordedRequest, 'sender'>,
  { redactor, show }: { redactor: Redactor; show: (text: string) => string },
): HeaderPairs {
  const { headers, authorization, token } = sender
  const credentials = authorization === undefined ? '' : toCredentials(authorization, token?.id)
  const showValue = (name: string, value: string): string => {
    switch (name.toLowerCase()) {
      case 'authorization':
        return credentials
      case 'proxy-authorization':
        return redactor.inAuthorization(value)
      case 'cookie':
        return '[cookie]'
      default:
        return show(value)
    }
  }
  const { raw = readByApi(sender) } = headers
  const pairs: HeaderPairs = []
  for (let at = 0; at < raw.length; at += 2) {
    const [name = '', value = ''] = raw.slice(at, at + 2)
    // Headers of HTTP/2 that say what the request line says in HTTP/1.1.
    if (!name.startsWith(':')) pairs.push({ name: show(name), value: showValue(name, value) })
  }
  return pairs
}

/** The headers that the API reads itself. */
function readByApi({ accept, authorization }: RecordedRequest['sender']): string[] {
  return [
    ...(accept === undefined ? [] : ['Accept', accept]),
    ...(authorization === undefined ? [] : ['Authorization', authorization]),
  ]
}

function toCredentials(authorization: string, tokenId: number | undefined): string {
  const token = tokenId === undefined ? '[unknown token]' : `[token ${tokenId}]`
  const scheme = schemeOf(authorization)
  return scheme === 'unknown' ? token : `${scheme} ${token}`
}
