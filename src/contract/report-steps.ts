import type { ReportStatus } from './report.ts'

interface ReportStepDefinition {
  /** The states that it can follow. */
  from: readonly ReportStatus[]
  /** What it does: a phrase for the documentation. */
  description: string
}

/** The steps in the life of a report, which commands take (G-086). The API itself has none of them. */
export const REPORT_STEPS = {
  start: {
    from: ['pending'],
    description: 'Starts a report: it is running',
  },
  complete: {
    from: ['pending', 'running'],
    description:
      "Completes a report, with content for up to eight active keywords in the project's language, its scheme and links",
  },
  fail: {
    from: ['pending', 'running'],
    description: 'Makes the generation of a report fail; it waits for a retry',
  },
  retry: {
    from: ['failed'],
    description: 'Starts a failed report again: it is running',
  },
  approve: {
    from: ['completed'],
    description: 'Approves a report: `approved_status` is `approved`, with `approved_by`',
  },
  reject: {
    from: ['completed'],
    description:
      'Takes back the approval of a report: `approved_status` is null, or what is given, and `approved_by` too',
  },
  manage: {
    from: ['completed'],
    description: 'Manages a report: `managed_status` is `completed`, with `managed_by`',
  },
  send: {
    from: ['completed'],
    description:
      'Sends a report to the client: `sent` is true, and `date_to_send_to_client` is today where it was null',
  },
  regenerate: {
    from: ['running', 'completed', 'failed'],
    description:
      'Replaces a report by a new row with its number, an id of its own and `created_at` now: completed where reports only move by commands, otherwise running',
  },
} as const satisfies Record<string, ReportStepDefinition>

export type ReportStep = keyof typeof REPORT_STEPS

export const REPORT_STEP_NAMES = Object.keys(REPORT_STEPS) as ReportStep[]

/** The steps that can follow a state. */
export function stepsFrom(status: ReportStatus): ReportStep[] {
  return REPORT_STEP_NAMES.filter((step) => canFollow(step, status))
}

export function canFollow(step: ReportStep, status: ReportStatus): boolean {
  const { from }: ReportStepDefinition = REPORT_STEPS[step]
  return from.includes(status)
}
