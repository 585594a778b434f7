import { memoize } from '../../contract/cache.ts'
import { OPERATION_IDS } from '../../contract/routes.ts'
import { isJsonAccepted } from '../../engine/responses.ts'
import { defineCheck, remember } from '../check.ts'

const isJson = memoize((accept: string) => isJsonAccepted(accept))

export const jsonAccept = defineCheck({
  id: 'json-accept',
  category: 'requests',
  severity: 'notice',
  section: '7',
  finds: 'did not accept JSON, so that errors may come as HTML (G-053)',
  instead: 'Send `Accept: application/json` with every request.',
  exercise: 'Let the client send a request to any endpoint.',
  sees: OPERATION_IDS,
  start: () => new Map<string, true>(),
  read: ({ sender: { method, accept }, caller, sequence }, report, noticed) => {
    if (method !== 'GET') return
    report.meet()
    if (accept !== undefined && isJson(accept)) return
    // Reported once per caller, because a caller sends the same header with every request.
    if (noticed.has(caller)) return
    remember(noticed, caller, true)
    report.fail(() => `Request ${sequence} ${describeAccept(accept)}.`)
  },
})

function describeAccept(accept: string | undefined): string {
  if (accept === undefined) return 'has no Accept header'
  return accept.includes('*/*')
    ? 'accepts any type, so the service may send it errors as HTML'
    : 'has an Accept header without JSON'
}
