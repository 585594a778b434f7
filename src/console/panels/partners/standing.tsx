import type { Partner } from '../../api/types.ts'
import { StateWord } from '../../parts/state-word.tsx'

/** How the client of a partner does, in a word, and what is worst. */
export function Standing({ review, requests }: Pick<Partner, 'review' | 'requests'>) {
  if (requests === 0) return <span class="soft">no request yet</span>
  if (!review) return <span class="soft">not reviewed yet</span>
  if (review.verdict === 'nothing-asked')
    return <span class="soft">no request of a client yet</span>
  const { verdict, worst } = review
  if (worst?.severity === 'error') return <StateWord state="failed">{worst.check}</StateWord>
  if (verdict === 'nothing-read') return <StateWord state="failed">no request got a 200</StateWord>
  if (worst) return <StateWord state="running">{worst.check}</StateWord>
  return <StateWord state="completed">no mistakes found</StateWord>
}
