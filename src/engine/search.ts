import type { ReadPolicy } from '../contract/policies.ts'
import type { ProjectRecord } from '../contract/project.ts'

/** Specification 4.3: a partial match on a project's name or domain (G-042). */
export function createSearch(
  text: string,
  policy: ReadPolicy,
): (project: Pick<ProjectRecord, 'name' | 'domain'>) => boolean {
  const matches = policy('search-match') === 'like' ? createLike(text) : createSubstring(text)
  return ({ name, domain }) => matches(name) || (domain !== null && matches(domain))
}

function createSubstring(text: string): (value: string) => boolean {
  const wanted = text.toLowerCase()
  return (value) => value.toLowerCase().includes(wanted)
}

function createLike(text: string): (value: string) => boolean {
  const pattern = withoutAccents(text)
    .replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('%', '.*')
    .replaceAll('_', '.')
  const expression = new RegExp(pattern, 'isu')
  return (value) => expression.test(withoutAccents(value))
}

function withoutAccents(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{Mn}/gu, '')
}
