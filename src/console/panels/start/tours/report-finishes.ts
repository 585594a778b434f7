import { api } from '../../../api/client.ts'
import { askFor, findCandidate } from './tour.ts'
import type { Candidate, Plan, Step, Tour } from './tour.ts'

export const reportFinishes: Tour = {
  id: 'report-finishes',
  title: 'A report finishes',
  shows: 'What a client sees while a report is written, and afterwards.',
  plan: async () =>
    (await findCandidate((candidate) => planWith(candidate, isSuitable))) ??
    (await findCandidate((candidate) => planWith(candidate, isUnfinished))) ?? {
      unsuitable: 'No report in this world is pending or running.',
      scenario: 'month-rollover',
    },
}

type Report = Candidate['explanation']['latest']['candidates'][number]['report']

function isUnfinished({ status, level }: Report): boolean {
  return level === 'project' && (status === 'pending' || status === 'running')
}

/** When it completes it is the last generated report. */
function isSuitable(report: Report, all: readonly Report[]): boolean {
  return (
    isUnfinished(report) &&
    all.every(({ status, created_at, id }) => {
      if (status !== 'completed') return true
      return created_at < report.created_at || (created_at === report.created_at && id < report.id)
    })
  )
}

function planWith(
  candidate: Candidate,
  suits: (report: Report, all: readonly Report[]) => boolean,
): Plan | undefined {
  const { project, token, explanation } = candidate
  const all = explanation.latest.candidates.map(({ report }) => report)
  const [report] = all
    .filter((one) => suits(one, all))
    .toSorted((one, other) => one.report_number - other.report_number)
  if (!report) return undefined
  const { id, report_number: number } = report
  const askContent = async (): Promise<string> => {
    const path = `/api/v1/projects/${project.id}/reports/${number}/content`
    const sentence = `Asked for the content of report ${number}`
    const { status, text } = await api.request({ path, token: token.token }, sentence)
    return status === 200 ? describeContent(text) : `The answer is ${status}.`
  }
  const take = async (type: 'report.start' | 'report.complete', done: string): Promise<string> => {
    const { status } = await api.command({ type, report: id }, `${done} report ${number}`)
    return `Report ${number} is ${status}.`
  }
  const start: Step = {
    text: `Report ${number} is pending: nothing of it is written. When its time comes, the service starts it.`,
    section: '3',
    act: 'Start it',
    run: () => take('report.start', 'Started'),
  }
  return {
    project,
    steps: [
      ...(report.status === 'pending' ? [start] : []),
      {
        text: 'While it is running the answer is a 200 without texts: look at is_generated, not at the status code.',
        section: '4.7',
        act: 'Ask for its content',
        run: askContent,
      },
      {
        text: 'The service finishes: the texts of every active keyword are there.',
        section: '3',
        act: 'Complete it',
        run: () => take('report.complete', 'Completed'),
      },
      {
        text: 'The same request again.',
        section: '4.7',
        act: 'Ask again',
        run: askContent,
      },
      {
        text: 'The last generated report is the completed one that was created last.',
        section: '4.6',
        act: 'Ask for the last generated report',
        run: () => askFor('last-generated', candidate),
      },
      {
        text: 'The latest report depends on the calendar too, so it may be another one.',
        section: '4.5',
        act: 'Ask for the latest report',
        run: () => askFor('latest', candidate),
      },
    ],
  }
}

interface Content {
  is_generated: boolean
  generation_status: string
  summary: { keyword_count: number; keywords_with_content: number }
}

function describeContent(text: string): string {
  const { data } = JSON.parse(text) as { data: Content }
  const { is_generated, generation_status, summary } = data
  return `200: is_generated is ${String(is_generated)}, generation_status is ${generation_status}, and ${summary.keywords_with_content} of ${summary.keyword_count} keywords have content.`
}
