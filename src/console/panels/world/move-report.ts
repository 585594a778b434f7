import type { LAST_REPORT_NUMBER } from '../../../contract/limits.ts'
import type { REPORT_STEPS, ReportStep } from '../../../contract/report-facts.ts'
import { STEPS_TAKEN } from '../../../wording/command-sentence.ts'
import { api } from '../../api/client.ts'
import type { RecordOf } from '../../api/types.ts'
import { projectName } from '../../state/agency.ts'

type Report = RecordOf<'reports'>
type Status = Report['status']

type StepFrom<From extends Status> = {
  [Step in ReportStep]: From extends (typeof REPORT_STEPS)[Step]['from'][number] ? Step : never
}[ReportStep]

/** Steps by status of a report, the usual next step first. */
const STEPS: { [From in Status]: readonly StepFrom<From>[] } = {
  pending: ['start', 'complete', 'fail'],
  running: ['complete', 'regenerate', 'fail'],
  completed: ['approve', 'manage', 'send', 'regenerate', 'reject'],
  failed: ['retry', 'regenerate'],
}

/** Returns the steps that would change a report, the usual next step first. */
export function stepsOf({ status, approved_status, managed_status, sent }: Report): ReportStep[] {
  const isDone: Partial<Record<ReportStep, boolean>> = {
    approve: approved_status === 'approved',
    reject: approved_status === null,
    manage: managed_status === 'completed',
    send: sent,
  }
  return STEPS[status].filter((step) => isDone[step] !== true)
}

export async function takeStep(step: ReportStep, report: Report): Promise<void> {
  const { id, report_number, project } = report
  const sentence = `${STEPS_TAKEN[step]} report ${report_number} of ${projectName(project)}`
  await api.command<`report.${ReportStep}`>({ type: `report.${step}`, report: id }, sentence)
}

/** Creates the next report of a project. The server refuses a report after `LAST_REPORT`. */
export async function createNext(project: number): Promise<void> {
  const sentence = `Created the next report of ${projectName(project)}`
  await api.command({ type: 'report.create', project }, sentence)
}

export const LAST_REPORT: typeof LAST_REPORT_NUMBER = 26
