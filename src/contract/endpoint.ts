import { z } from 'zod'
import { API_PREFIX } from './conventions.ts'
import { describe } from './describe.ts'
import { OPERATIONS } from './operations.ts'
import type { OperationId } from './operations.ts'
import { suggest } from './suggestion.ts'

const OPERATION_IDS = Object.keys(OPERATIONS) as OperationId[]

/** An endpoint as it is shown: `GET /projects/{project}`. */
export function toEndpoint(operation: OperationId): string {
  return `GET ${OPERATIONS[operation].path}`
}

/** An endpoint by its method and path, its path alone, or its operation id. */
export const Endpoint = z
  .string()
  .transform((text, context) => {
    const path = text.replace(/^GET +/i, '').replace(new RegExp(`^${API_PREFIX}(?=/)`), '')
    const found = OPERATION_IDS.find((id) => id === text || OPERATIONS[id].path === path)
    if (found) return toEndpoint(found)
    const candidates = text.includes('/') ? OPERATION_IDS.map(toEndpoint) : OPERATION_IDS
    const message = `${describe(text)} is not an endpoint. ${suggest(text, candidates)}`
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })
  .describe('An endpoint, like `GET /projects/{project}`; any where omitted')
