import { suggestFew } from '../contract/suggestion.ts'
import { describe } from '../contract/text.ts'
import { CHECK_IDS } from './checks/index.ts'
import { REHEARSAL_CHECK_IDS } from './rehearsal-checks.ts'

/** What a review can be required to show besides checks that pass. */
const OTHERS = ['delivered', 'delivered:new', 'warnings']
const OF_PROJECT = /^delivered:([1-9]\d{0,14})$/

/** What is wrong with the name of a requirement, or of what is waived; undefined for a valid one. */
export function findUnknown(
  what: string,
  { isRehearsal = false }: { isRehearsal?: boolean } = {},
): string | undefined {
  const names = [...OTHERS, ...CHECK_IDS, ...(isRehearsal ? REHEARSAL_CHECK_IDS : [])]
  if (names.includes(what) || OF_PROJECT.test(what)) return undefined
  const whole = `Use the id of a check, ${OTHERS.join(', ')} or delivered:101 for project 101.`
  return `${describe(what)} is not a requirement. ${suggestFew(what, names, whole)}`
}

/** The project whose reports a requirement is about; undefined for one that is not about a single project. */
export function projectOf(what: string): number | undefined {
  const [, id] = OF_PROJECT.exec(what) ?? []
  return id === undefined ? undefined : Number(id)
}
