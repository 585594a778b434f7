import { api } from '../../../api/client.ts'
import type { Command } from '../../../api/types.ts'
import { explain, findCandidate, reasonFor } from './tour.ts'
import type { Candidate, Plan, Step, Tour } from './tour.ts'

export const reportFinishes: Tour = {
  id: 'report-finishes',
  title: 'A report finishes',
  shows: 'What a client sees while a report is written, and what changes when it is there.',
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
  { project, token, explanation }: Candidate,
  suits: (report: Report, all: readonly Report[]) => boolean,
): Plan | undefined {
  const all = explanation.latest.candidates.map(({ report }) => report)
  const [report] = all
    .filter((one) => suits(one, all))
    .toSorted((one, other) => one.report_number - other.report_number)
  if (!report) return undefined
  const { id, report_number: number } = report
  const path = `/api/v1/projects/${project.id}/reports/`
  const askContent = async (sentence: string): Promise<string> => {
    const { status, text } = await api.request(
      { path: `${path}${number}/content`, token: token.token },
      sentence,
    )
    return status === 200 ? describeContent(text) : `The answer is ${status}.`
  }
  const step = async (command: Command, sentence: string): Promise<string> => {
    await api.command(command, sentence)
    const { records } = await api.list('reports', { limit: 1000, project: project.id })
    const now = records.find((record) => record.id === id)
    return `Report ${number} is ${now?.status ?? 'gone'}.`
  }
  const start: Step = {
    text: `Report ${number} is pending: it is planned, and nothing of it is written. When its time comes, the service starts it.`,
    section: '3',
    act: 'Start it',
    run: () => step({ type: 'report.start', report: id }, `Started report ${number}`),
  }
  return {
    project,
    steps: [
      ...(report.status === 'pending' ? [start] : []),
      {
        text: 'While it is running a client that asks for its texts gets no error: the answer says that it is not generated yet. So a client looks at is_generated, not at the status code.',
        section: '4.7',
        act: 'Ask for its content',
        run: () => askContent(`Asked for the content of report ${number} while it is running`),
      },
      {
        text: 'The service finishes: the texts of every active keyword are there, at once.',
        section: '3',
        act: 'Complete it',
        run: () => step({ type: 'report.complete', report: id }, `Completed report ${number}`),
      },
      {
        text: 'The same request again.',
        section: '4.7',
        act: 'Ask for its content again',
        run: () => askContent(`Asked for the content of report ${number} when it was completed`),
      },
      {
        text: 'The last generated report is the completed one that was created last.',
        section: '4.6',
        act: 'Ask for the last generated report',
        run: async () => {
          const request = { path: `${path}last-generated`, token: token.token }
          await api.request(request, 'Asked for the last generated report')
          return reasonFor('last_generated', await explain(project.id))
        },
      },
      {
        text: 'The latest report also looks at the calendar, so it may be another one.',
        section: '4.5',
        act: 'Ask for the latest report',
        run: async () => {
          const request = { path: `${path}latest`, token: token.token }
          await api.request(request, 'Asked for the latest report')
          return reasonFor('latest', await explain(project.id))
        },
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
