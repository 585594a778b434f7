import type { ApiResponse } from '../../engine/messages.ts'
import type { Random } from '../../records/random.ts'
import type { ArmedFault } from './fault.ts'
import type { AffectedRequest } from './fault-kind.ts'
import { kindOf } from './index.ts'

/** A fault that is due for a request, with random numbers for this pair. */
export interface DueFault {
  id: number
  fault: ArmedFault
  random: Random
}

/** Of the faults that are due, those that take effect: the first that replaces the response, and those that alter it. */
export function withEffect(due: readonly DueFault[]): DueFault[] {
  const replacing = due.find(({ fault }) => 'replaces' in kindOf(fault))
  const replacement = replacing && kindOf(replacing.fault)
  const hasBody = !replacement || ('hasBody' in replacement && replacement.hasBody)
  return due.filter((one) => {
    const kind = kindOf(one.fault)
    if ('replaces' in kind) return one === replacing
    return hasBody || !kind.needsBody
  })
}

/** The response to a request that faults affect. */
export function applyFaults(due: readonly DueFault[], request: AffectedRequest): ApiResponse {
  if (due.length === 0) return request.answer()
  const response = due.reduce(alter, replace(due, request) ?? request.answer())
  return { ...response, faults: due.map(({ id }) => id) }
}

/** The response of the first fault that replaces the API's, if any. */
function replace(due: readonly DueFault[], request: AffectedRequest): ApiResponse | undefined {
  for (const { fault } of due) {
    const kind = kindOf(fault)
    if ('replaces' in kind) {
      return { ...kind.replaces(fault as never, request), problem: undefined }
    }
  }
  return undefined
}

function alter(response: ApiResponse, { fault, random }: DueFault): ApiResponse {
  const kind = kindOf(fault)
  return 'alters' in kind ? kind.alters(response, fault as never, random) : response
}
