import type { ProjectRecord } from '../../contract/project.ts'
import type { OperationContext } from '../operation-context.ts'
import { parseId } from '../identifiers.ts'
import { refuse } from '../messages.ts'
import type { Refusal } from '../messages.ts'

/** The project that a path names, if the token may see it (specification 4.2, 5(7)). */
export function findProject({
  params,
  token,
  records,
  policy,
}: OperationContext): ProjectRecord | Refusal {
  const id = parseId(params[0] ?? '', policy)
  if (typeof id !== 'number') return id
  const project = records.get('projects', id)
  if (!project) return refuse('project_not_found')
  if (token.agency === null || project.agency === token.agency) return project
  return refuse(policy('foreign-project') === '403' ? 'forbidden' : 'project_not_found')
}
