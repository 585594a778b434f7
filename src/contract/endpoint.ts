import { API_PREFIX } from './api-prefix.ts'
import { describe } from './describe.ts'
import { ROUTES } from './routes.ts'
import type { OperationId } from './routes.ts'
import { suggest } from './suggestion.ts'
import type { Validated } from './validation.ts'

export const OPERATION_IDS = Object.keys(ROUTES) as OperationId[]

/** An endpoint as it is shown: `GET /projects/{project}`. */
export function toEndpoint(operation: OperationId): string {
  return `GET ${ROUTES[operation].path}`
}

/** Reads an endpoint by its method and path, its path alone, or its operation id. */
export function parseEndpoint(text: string): Validated<string> {
  const path = text.replace(/^GET +/i, '').replace(new RegExp(`^${API_PREFIX}(?=/)`), '')
  const found = OPERATION_IDS.find((id) => id === text || ROUTES[id].path === path)
  if (found) return { value: toEndpoint(found) }
  const candidates = text.includes('/') ? OPERATION_IDS.map(toEndpoint) : OPERATION_IDS
  const message = `${describe(text)} is not an endpoint. ${suggest(text, candidates)}`
  return { problems: [{ path: [], message }] }
}
