import { toMinute } from '../../../wording/times.ts'
import { askFor, askForBoth, findCandidate, setClockTo } from './tour.ts'
import type { Candidate, TourPlan, StepResult, Tour } from './tour.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/**
 * Largest offset from UTC of a time zone in which the tour recognises the start of a month. Zones at UTC+4, such as
 * Europe/Samara, exceed it.
 */
const MAXIMUM_OFFSET_MS = 3 * HOUR_MS

export const monthTurns: Tour = {
  id: 'month-turns',
  title: 'A month turns',
  shows: 'Why `latest` changes at midnight, though nothing was written.',
  plan: async () =>
    (await findCandidate(planWith)) ?? {
      unsuitable: 'No project in this world gets another latest report when a month begins.',
      scenario: 'month-rollover',
    },
}

function planWith(candidate: Candidate): TourPlan | undefined {
  const { project, explanation } = candidate
  const before = explanation.latest.selected?.id ?? null
  const turn = explanation.changes.find(({ at, latest }) => isMonthTurn(at) && latest !== before)
  if (!turn) return undefined
  const askAt = async (at: string, sentence: string): Promise<StepResult> => {
    const clock = await setClockTo(at, sentence)
    const seen = await askFor('latest', candidate)
    return { ...seen, text: `${clock} ${seen.text}` }
  }
  const minuteBefore = new Date(Date.parse(turn.at) - MINUTE_MS).toISOString()
  return {
    project,
    steps: [
      {
        text: 'The latest report is the completed one dated in the current month. Other rules apply only if there is none.',
        section: '4.5',
        button: 'Ask for the latest report',
        run: () => askFor('latest', candidate),
      },
      {
        text: `Time alone may make another report the latest. Go to a minute before ${toMinute(turn.at)}, when the month turns, and ask again.`,
        section: '4.5(1)',
        button: 'Go to the last minute of the month',
        run: () => askAt(minuteBefore, 'Went to the last minute of the month'),
      },
      {
        text: 'Let the month turn: a report dated in the old month no longer qualifies.',
        section: '4.5(1)',
        button: 'Go to the new month',
        run: () => askAt(turn.at, 'Went to the new month'),
      },
      {
        text: 'The last generated report does not depend on the month, so it stays the same.',
        section: '4.6',
        button: 'Ask for the last generated report',
        run: () => askForBoth(candidate),
      },
    ],
  }
}

function isMonthTurn(at: string): boolean {
  const later = new Date(Date.parse(at) + MAXIMUM_OFFSET_MS)
  return later.getUTCDate() === 1 && later.getUTCHours() <= MAXIMUM_OFFSET_MS / HOUR_MS
}
