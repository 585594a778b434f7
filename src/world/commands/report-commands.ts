import { z } from 'zod'
import { LAST_REPORT_NUMBER } from '../../contract/limits.ts'
import { canFollow, REPORT_STEPS, stepsFrom } from '../../contract/report-facts.ts'
import type { ReportStep } from '../../contract/report-facts.ts'
import { ReportRecord } from '../../contract/report.ts'
import {
  clampToYears,
  DAY_MS,
  dayOfMonth,
  resolveMs,
  toDate,
  toDateTime,
} from '../../contract/time.ts'
import { withOwnContent } from '../../records/report-texts.ts'
import { DAYS_TO_CLIENT } from '../../records/report-timeline.ts'
import {
  approveReport,
  completeReport,
  manageReport,
  sendReport,
} from '../../records/report-transitions.ts'
import { invalidCommand } from '../command-error.ts'
import type { WorldState } from '../world-state.ts'
import { defineCommand } from './command.ts'
import type { WorldParts } from './command.ts'
import {
  growthBy,
  changingRecords,
  checkRecord,
  completedReport,
  existingRecord,
  RecordFields,
  mergeFields,
} from './record-changes.ts'

const Overrides = RecordFields.default({}).describe(
  "Fields of the report, in the fixture's form, that override those that the transition sets",
)

/**
 * Defines the command for a step of a report (G-086). It sets the fields that the service would set, while `record.patch` sets
 * only the fields in the command.
 */
function stepCommand<const Step extends ReportStep>(step: Step) {
  const { from, description } = REPORT_STEPS[step]
  return defineCommand({
    type: `report.${step}`,
    description: `${description}. It can follow: ${from.join(', ')}`,
    fields: { report: z.int().describe('The id of the report'), fields: Overrides },
    result: ReportRecord,
    ...(isCompletion(step) && {
      completes: (_: unknown, report: ReportRecord) => completedReport('reports', report),
    }),
    adds: async (parts, { report: id, fields }) => {
      const { state } = parts
      const current = state.records.indexes.get('reports', id)
      if (!current) return {}
      if (isCompletion(step)) await loadTexts(state, current.project)
      const changed = STEPS[step](withOwnContent(current, state.records.indexes), state, fields)
      const record = { ...changed, ...fields }
      return growthBy(parts, { collection: 'reports', record, fields, at: 'fields', replaced: id })
    },
    prepare: async (parts, { report: id, fields }) => {
      const { state } = parts
      const { project } = existingRecord(state.records, 'reports', id)
      if (isCompletion(step) || state.progress.isMoving) await loadTexts(state, project)
      return changingRecords(state, () => {
        const current = existingRecord(state.records, 'reports', id)
        requireStep(step, current)
        const changed = STEPS[step](withOwnContent(current, state.records.indexes), state, fields)
        return storeReport(parts, { current, changed, fields, continues: step !== 'reject' })
      })
    },
  })
}

export const reportCreate = defineCommand({
  type: 'report.create',
  description:
    'Creates the next report of a project: pending, with the number after its last one, due a month after the latest due date of its reports, or a month from now if none has one',
  fields: { project: z.int().describe('The id of the project'), fields: Overrides },
  result: ReportRecord,
  adds: (parts, { project, fields }) => {
    const record = { ...nextReport(project, parts.state), ...fields }
    return growthBy(parts, { collection: 'reports', record, fields, at: 'fields' })
  },
  prepare: async (parts, { project, fields }) => {
    const { state } = parts
    existingRecord(state.records, 'projects', project)
    if (state.progress.isMoving) await loadTexts(state, project)
    return changingRecords(state, () => {
      const changed = nextReport(project, state)
      return storeReport(parts, { current: changed, changed, fields, continues: true })
    })
  },
})

export const REPORT_COMMANDS = [
  reportCreate,
  stepCommand('start'),
  stepCommand('complete'),
  stepCommand('fail'),
  stepCommand('retry'),
  stepCommand('approve'),
  stepCommand('reject'),
  stepCommand('manage'),
  stepCommand('send'),
  stepCommand('regenerate'),
] as const

type Apply = (
  report: ReportRecord,
  state: WorldState,
  fields: Partial<ReportRecord>,
) => ReportRecord

/** Functions that return the report after a step, without the overrides of the command. */
const STEPS: Record<ReportStep, Apply> = {
  start: (report) => ({ ...report, status: 'running' }),
  complete,
  fail: (report) => ({ ...report, status: 'failed' }),
  retry: (report) => ({ ...report, status: 'running' }),
  approve: (report, { records }) => approveReport(report, records.indexes),
  reject: (report) => ({ ...report, approved_status: null, approved_by: null }),
  manage: (report, { records }) => manageReport(report, records.indexes),
  send: (report, { clock }) => sendReport(report, clock.worldMs()),
  regenerate: (report, state, fields) => {
    const { content: _, content_scheme: __, content_scheme_fields: ___, ...rest } = report
    const row: ReportRecord = {
      ...rest,
      id: state.records.indexes.nextReportId(),
      status: 'running',
      created_at: toDateTime(state.clock.worldMs()),
      sent: false,
      approved_status: null,
      approved_by: null,
      managed_status: null,
      pdf_link: null,
      web_link: null,
    }
    return state.progress.isMoving ? row : complete(row, state, fields)
  },
}

function complete(
  report: ReportRecord,
  { records, progress }: WorldState,
  { content_scheme: scheme }: Partial<ReportRecord>,
): ReportRecord {
  return completeReport(report, { records: records.indexes, texts: progress.texts, scheme })
}

/** True for a step that completes a report, immediately or later. */
function isCompletion(step: ReportStep): boolean {
  return step === 'complete' || step === 'regenerate'
}

async function loadTexts({ records, progress }: WorldState, project: number): Promise<void> {
  const record = records.indexes.get('projects', project)
  if (record) await progress.texts.load(record, records.indexes)
}

/** @throws CommandError for a step that is not allowed in the state of the report. */
function requireStep(step: ReportStep, { id, status, project, report_number }: ReportRecord): void {
  if (canFollow(step, status)) return
  const from = REPORT_STEPS[step].from.join(', ')
  const message = `Report ${report_number} of project ${project} (id ${id}) is ${status}, and ${step} can only follow ${from}. Use one of: ${stepsFrom(status).join(', ')}.`
  throw invalidCommand({ path: ['report'], message })
}

const SET_BY_STEPS = ['id', 'project', 'report_number', 'status'] as const

interface Change {
  /** Report before the step; for `report.create`, the new report itself. */
  current: ReportRecord
  /** Report after the step, without the overrides in `fields`; for `regenerate` the new row. */
  changed: ReportRecord
  fields: Record<string, unknown>
  /** True if the report moves by itself after the step, unless only commands move the world's reports. */
  continues: boolean
}

/** Stores a report after a step. @throws CommandError for invalid fields. */
function storeReport(
  parts: WorldParts,
  { current, changed, fields, continues }: Change,
): ReportRecord {
  for (const name of SET_BY_STEPS) {
    if (!(name in fields)) continue
    const message = `The transition sets ${name} itself. Leave it out, or change the record.`
    throw invalidCommand({ path: [name], message })
  }
  const { records, progress } = parts.state
  // Validated with the id of the replaced report, before that report is deleted, so that a refusal changes nothing.
  const checked = checkRecord(parts, 'reports', {
    ...mergeFields('reports', changed, fields),
    id: current.id,
  })
  const report = { ...checked, id: changed.id }
  const fromMs = progress.timeOf(report.project)
  if (report.id !== current.id) records.delete('reports', current)
  if (continues && progress.isMoving) records.putMoving(report, fromMs)
  else records.put('reports', report)
  return structuredClone(report)
}

/** Returns the next report of a project. @throws CommandError if the project has the last report of its sequence. */
function nextReport(project: number, { records, clock }: WorldState): ReportRecord {
  const { indexes } = records
  const reports = indexes.reportsOf(project)
  const last = reports.reduce<ReportRecord | undefined>(
    (one, other) => (one && one.report_number > other.report_number ? one : other),
    undefined,
  )
  const report_number = (last?.report_number ?? 0) + 1
  if (report_number > LAST_REPORT_NUMBER) {
    const message = `Project ${project} has report ${LAST_REPORT_NUMBER}, the last of its sequence. Regenerate one of its reports, or use another project.`
    throw invalidCommand({ path: ['project'], message })
  }
  const nowMs = clock.worldMs()
  const dueDates = reports.flatMap(({ date_to_create_texts: due }) => due ?? []).toSorted()
  const lastDueMs = resolveMs(dueDates.at(-1) ?? toDate(nowMs), nowMs)
  const dueMs = clampToYears(dayOfMonth(lastDueMs, 1, new Date(lastDueMs).getUTCDate()))
  return {
    id: indexes.nextReportId(),
    project,
    report_number,
    status: 'pending',
    created_at: toDateTime(nowMs),
    report_name: last?.report_name ?? null,
    date_to_create_texts: toDate(dueMs),
    date_to_send_to_client: toDate(clampToYears(dueMs + DAYS_TO_CLIENT * DAY_MS)),
    sent: false,
    approved_status: null,
    approved_by: null,
    managed_status: null,
    managed_by: last?.managed_by ?? null,
    pdf_link: null,
    web_link: null,
    level: 'project',
    action_type: 'regular',
  }
}
