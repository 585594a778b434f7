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

/** `%text%` as in LIKE: the parts between wildcards match in order, each as early as possible. */
function createLike(text: string): (value: string) => boolean {
  const parts = fold(text)
    .split('%')
    .map((part) => Array.from(part))
  return (value) => {
    const characters = Array.from(fold(value))
    let position = 0
    return parts.every((part) => {
      position = findPart(characters, part, position)
      return position !== -1
    })
  }
}

/** The index after the first match of a part, in which `_` is any one character; -1 where there is none. */
function findPart(text: readonly string[], part: readonly string[], from: number): number {
  for (let start = from; start + part.length <= text.length; start += 1) {
    const isHere = part.every(
      (character, index) => character === '_' || character === text[start + index],
    )
    if (isHere) return start + part.length
  }
  return -1
}

/** Without accents and case. */
function fold(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()
}
