import { OPERATIONS } from '../../src/contract/operations.ts'
import type { Operation } from '../../src/contract/operations.ts'
import type { OperationId } from '../../src/contract/routes.ts'
import { toEndpoint } from '../../src/contract/routes.ts'
import { PROBLEMS } from '../../src/contract/problems.ts'
import { code, table } from './markdown.ts'

/** The endpoints of the API: the response of each, and its errors besides those of every endpoint. */
export function endpointTable(): string {
  const rows = (Object.entries(OPERATIONS) as [OperationId, Operation][]).map(
    ([id, { summary, problems }]) => {
      const statuses = new Set(problems.map((problem) => PROBLEMS[problem].status))
      return [
        code(toEndpoint(id)),
        code(id),
        summary,
        [...statuses].toSorted((one, other) => one - other).join(', '),
      ]
    },
  )
  return table(['endpoint', 'operation id', 'response', 'errors'], rows)
}
