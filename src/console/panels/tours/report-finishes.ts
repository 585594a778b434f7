import { api } from '../../api/client.ts'
import type { ClientResponse } from '../../api/client.ts'
import { toMinute } from '../../../wording/times.ts'
import { askForBoth, dataOf, findCandidate, setClockTo } from './tour.ts'
import type { Candidate, TourPlan, StepResult, TourStep, Tour } from './tour.ts'

export const reportFinishes: Tour = {
  id: 'report-finishes',
  title: 'A report is completed',
  shows: 'What the API answers while it is written, and after.',
  plan: async () =>
    (await findCandidate((candidate) => planWith(candidate, becomesLastGenerated))) ??
    (await findCandidate((candidate) => planWith(candidate, isUnfinished))) ?? {
      unsuitable: 'No report in this world is pending or running.',
      scenario: 'month-rollover',
    },
}

type Report = Candidate['explanation']['latest']['candidates'][number]['report']

function isUnfinished({ status, level }: Report): boolean {
  return level === 'project' && (status === 'pending' || status === 'running')
}

function becomesLastGenerated(report: Report, all: readonly Report[]): boolean {
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
): TourPlan | undefined {
  const { project, token, explanation } = candidate
  const all = explanation.latest.candidates.map(({ report }) => report)
  const [report] = all
    .filter((each) => suits(each, all))
    .toSorted((a, b) => a.report_number - b.report_number)
  if (!report) return undefined
  const { id, report_number: number } = report
  const askContent = async (): Promise<StepResult> => {
    const path = `/api/v1/projects/${project.id}/reports/${number}/content`
    const sentence = `Requested the content of report ${number}`
    return describeContent(await api.request({ path, token: token.token }, sentence), number)
  }
  /**
   * Returns a step that brings the report to a status. If time alone does so, the step moves the clock. Otherwise it sends the
   * command, and `button` is undefined.
   */
  const reach = (status: 'running' | 'completed', command: 'report.start' | 'report.complete') => {
    const change = explanation.changes.find(({ reports }) =>
      reports.some((each) => each.id === id && each.status === status),
    )
    const [happens, take, taken] =
      status === 'running'
        ? ['starts', 'Start', 'Started']
        : ['is completed', 'Complete', 'Completed']
    const move = async (): Promise<string> => {
      if (change) {
        const sentence = `Went to ${toMinute(change.at)}, when report ${number} ${happens}`
        return setClockTo(change.at, sentence)
      }
      await api.command({ type: command, report: id }, `${taken} report ${number}`)
      return `Report ${number} is ${status}.`
    }
    return {
      button: change ? `Go to ${toMinute(change.at)}` : `${take} report ${number}`,
      run: async (): Promise<StepResult> => {
        const text = await move()
        const seen = await askContent()
        return { ...seen, text: `${text} ${seen.text}` }
      },
    }
  }
  const steps: TourStep[] = [
    {
      text: `Report ${number} is ${report.status}. The API answers with a 200 before its texts are written, so a client has to look at is_generated, not at the status code.`,
      section: '4.7',
      button: 'Ask for its content',
      run: askContent,
    },
    {
      text: 'When its time comes, the service starts it.',
      section: '3',
      ...reach('running', 'report.start'),
    },
    {
      text: 'The service completes it: its texts are written.',
      section: '3',
      ...reach('completed', 'report.complete'),
    },
    {
      text: 'The last generated report is the completed one that was created last; of those created together, the one with the highest id (G-076). The latest report depends on the calendar too, so the two may differ.',
      section: '4.6',
      button: 'Ask for the last generated report',
      run: () => askForBoth(candidate),
    },
  ]
  return { project, steps: report.status === 'pending' ? steps : steps.toSpliced(1, 1) }
}

interface Content {
  keywords: unknown
  links: object
  is_generated: boolean
  generation_status: string
  summary: { keyword_count: number; keywords_with_content: number }
}

function describeContent(response: ClientResponse, number: number): StepResult {
  const answer = {
    endpoint: 'content',
    result: `report ${number}`,
    fields: null,
    alwaysShown: ['is_generated', 'generation_status', 'keywords_with_content'],
  }
  const data = dataOf(response) as Content | null
  if (!data) {
    const { status } = response
    return { text: `The answer is ${status}.`, answer: { ...answer, result: String(status) } }
  }
  const { keywords: _, links, summary, ...rest } = data
  const { keyword_count: all, keywords_with_content: written } = summary
  return {
    text: `200: is_generated is ${String(data.is_generated)}, generation_status is ${data.generation_status}, and ${written} of ${all} keywords have content.`,
    answer: { ...answer, fields: { ...rest, ...summary, ...links } },
  }
}
