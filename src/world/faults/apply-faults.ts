import type { ApiResponse } from '../../engine/messages.ts'
import type { Random } from '../../records/random.ts'
import type { ArmedFault } from './fault.ts'
import type { AffectedRequest, FaultKind } from './fault-kind.ts'

/** A fault that is due for a request, with random numbers for this pair. */
export interface DueFault {
  id: number
  fault: ArmedFault
  kind: FaultKind
  random: Random
}

/** The faults that take effect among those that are due: the first that replaces the response, and those that alter it. */
export function withEffect(due: readonly DueFault[]): DueFault[] {
  const replacing = due.find(({ kind }) => 'replaces' in kind)
  const replacement = replacing?.kind
  const hasBody = !replacement || ('hasBody' in replacement && replacement.hasBody)
  return due.filter((one) => {
    const { kind } = one
    if ('replaces' in kind) return one === replacing
    return hasBody || !kind.needsBody
  })
}

/** The response to a request that faults affect. */
export function applyFaults(due: readonly DueFault[], request: AffectedRequest): ApiResponse {
  if (due.length === 0) return request.answer()
  const response = due.reduce(alter, replace(due, request) ?? request.answer())
  const delays = due.filter(({ kind }) => 'onlyDelays' in kind)
  return { ...response, faults: idsOf(due), delays: delays.length > 0 ? idsOf(delays) : undefined }
}

function idsOf(due: readonly DueFault[]): number[] {
  return due.map(({ id }) => id)
}

/** The response of the first fault that replaces the API's, if any. */
function replace(due: readonly DueFault[], request: AffectedRequest): ApiResponse | undefined {
  for (const { fault, kind } of due) {
    if ('replaces' in kind) {
      return { ...kind.replaces(fault as never, request), problem: undefined }
    }
  }
  return undefined
}

function alter(response: ApiResponse, { fault, kind, random }: DueFault): ApiResponse {
  return 'alters' in kind ? kind.alters(response, fault as never, random) : response
}
