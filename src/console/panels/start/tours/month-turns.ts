import { api } from '../../../api/client.ts'
import { toMinute } from '../../../parts/times.ts'
import { takeClock } from '../../../state/clock.ts'
import { explain, findCandidate, reasonFor } from './tour.ts'
import type { Candidate, Plan, Tour } from './tour.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** Months may turn by a time zone of Europe, up to three hours before those of UTC. */
const ZONE_MS = 3 * HOUR_MS

export const monthTurns: Tour = {
  id: 'month-turns',
  title: 'A month turns',
  shows: 'Why the latest report is another one at midnight, though nothing was written.',
  plan: async () =>
    (await findCandidate(planWith)) ?? {
      unsuitable: 'The latest report of no project in this world changes with the month.',
      scenario: 'month-rollover',
    },
}

function planWith({ project, token, explanation }: Candidate): Plan | undefined {
  const before = explanation.latest.selected?.id ?? null
  const turn = explanation.changes.find(({ at, latest }) => isMonthTurn(at) && latest !== before)
  if (!turn) return undefined
  const path = `/api/v1/projects/${project.id}/reports/`
  const ask = async (what: 'latest' | 'last-generated', sentence: string): Promise<string> => {
    await api.request({ path: `${path}${what}`, token: token.token }, sentence)
    const which = what === 'latest' ? 'latest' : 'last_generated'
    return reasonFor(which, await explain(project.id))
  }
  const goTo = async (at: string, sentence: string): Promise<string> => {
    takeClock(await api.command({ type: 'clock.set', now: at }, sentence))
    return `The world clock stands at ${toMinute(at)}.`
  }
  const minuteBefore = new Date(Date.parse(turn.at) - MINUTE_MS).toISOString()
  return {
    project,
    steps: [
      {
        text: 'The latest report is the completed one that is dated in the current month; only where there is none do the other rules apply.',
        section: '4.5',
        act: 'Ask for the latest report',
        run: () => ask('latest', 'Asked for the latest report'),
      },
      {
        text: `Nothing about the reports has to change for another one to be the latest. Go to a minute before ${toMinute(turn.at)}, when the month turns.`,
        section: '4.5(1)',
        act: 'Go to the last minute of the month',
        run: () => goTo(minuteBefore, 'Went to a minute before the month turns'),
      },
      {
        text: 'Still the same month: a client that asks now gets the answer of the whole month.',
        section: '4.5(1)',
        act: 'Ask again',
        run: () => ask('latest', 'Asked for the latest report before the month turns'),
      },
      {
        text: 'Let the month turn.',
        section: '4.5(1)',
        act: 'Go to the new month',
        run: () => goTo(turn.at, 'Went to where the month turns'),
      },
      {
        text: 'The same request, a minute later: what was dated in the old month does not qualify any more.',
        section: '4.5',
        act: 'Ask once more',
        run: () => ask('latest', 'Asked for the latest report after the month turned'),
      },
      {
        text: 'The last generated report knows no months: it is the completed one that was created last. That is the one to show where a report should not disappear overnight.',
        section: '4.6',
        act: 'Ask for the last generated report',
        run: () => ask('last-generated', 'Asked for the last generated report'),
      },
    ],
  }
}

function isMonthTurn(at: string): boolean {
  const later = new Date(Date.parse(at) + ZONE_MS)
  return later.getUTCDate() === 1 && later.getUTCHours() <= ZONE_MS / HOUR_MS
}
