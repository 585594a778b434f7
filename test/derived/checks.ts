import { listWithOr } from '../../src/contract/text.ts'
import { CHECKS } from '../../src/review/checks/index.ts'
import { REHEARSAL_CHECKS } from '../../src/review/requirements.ts'
import { TOKEN_DISTURBANCES, DISTURBANCE_KINDS } from '../../src/rehearsal/disturbances.ts'
import { code } from './markdown.ts'

/** A list of checks, each with its severity, the mistake and the right behaviour. */
function listOf(checks: typeof CHECKS | typeof REHEARSAL_CHECKS): string {
  return checks
    .map(
      ({ id, severity, finds, instead }) => `- ${code(id)} (${severity}): ${finds}. *${instead}*`,
    )
    .join('\n')
}

/** Every check of a review. */
export function reviewCheckList(): string {
  return listOf(CHECKS)
}

/** The checks that only a rehearsal has. */
export function rehearsalCheckList(): string {
  return listOf(REHEARSAL_CHECKS)
}

/** Every kind of disturbance of a rehearsal, by the requests that meet it. */
export function disturbanceList(): string {
  const kinds = DISTURBANCE_KINDS.map(({ nounPhrase, targets, times }) => ({
    what: times === 1 ? nounPhrase : `${nounPhrase} (${times} times)`,
    met: listWithOr(targets.map(({ name }) => name).toSorted()),
  }))
  const ofToken = Object.values(TOKEN_DISTURBANCES).map(({ nounPhrase }) => ({
    what: nounPhrase,
    met: 'everything',
  }))
  const byTarget = new Map<string, string[]>()
  for (const { met, what } of [...kinds, ...ofToken])
    byTarget.set(met, [...(byTarget.get(met) ?? []), what])
  return Array.from(byTarget, ([met, whats]) => `- ${met}: ${whats.join(', ')}`).join('\n')
}
