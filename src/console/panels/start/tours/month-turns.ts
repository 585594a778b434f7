import { api } from '../../../api/client.ts'
import { toMinute } from '../../../parts/times.ts'
import { takeClock } from '../../../state/clock.ts'
import { askFor, findCandidate } from './tour.ts'
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

function planWith(candidate: Candidate): Plan | undefined {
  const { project, explanation } = candidate
  const before = explanation.latest.selected?.id ?? null
  const turn = explanation.changes.find(({ at, latest }) => isMonthTurn(at) && latest !== before)
  if (!turn) return undefined
  const ask = (): Promise<string> => askFor('latest', candidate)
  const goTo = async (at: string, sentence: string): Promise<string> => {
    takeClock(await api.command({ type: 'clock.set', now: at }, sentence))
    return `The world clock stands at ${toMinute(at)}.`
  }
  const minuteBefore = new Date(Date.parse(turn.at) - MINUTE_MS).toISOString()
  return {
    project,
    steps: [
      {
        text: 'The latest report is the completed one dated in the current month; other rules apply only where there is none.',
        section: '4.5',
        act: 'Ask for the latest report',
        run: ask,
      },
      {
        text: `Another one may become the latest by time alone. Go to a minute before ${toMinute(turn.at)}, when the month turns.`,
        section: '4.5(1)',
        act: 'Go to the last minute of the month',
        run: () => goTo(minuteBefore, 'Went to the last minute of the month'),
      },
      {
        text: 'Still the same month, and the same report.',
        section: '4.5(1)',
        act: 'Ask again',
        run: ask,
      },
      {
        text: 'Let the month turn.',
        section: '4.5(1)',
        act: 'Go to the new month',
        run: () => goTo(turn.at, 'Went to the new month'),
      },
      {
        text: 'A minute later: what was dated in the old month does not qualify any more.',
        section: '4.5',
        act: 'Ask once more',
        run: ask,
      },
      {
        text: 'The last generated report knows no months: it stays.',
        section: '4.6',
        act: 'Ask for the last generated report',
        run: () => askFor('last-generated', candidate),
      },
    ],
  }
}

function isMonthTurn(at: string): boolean {
  const later = new Date(Date.parse(at) + ZONE_MS)
  return later.getUTCDate() === 1 && later.getUTCHours() <= ZONE_MS / HOUR_MS
}
