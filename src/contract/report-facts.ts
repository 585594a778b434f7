import type { PolicyValue } from './policies.ts'
import type { ReportRecord, ReportStatus } from './report.ts'

/** The only content scheme in the specification (2.7). */
export const H3_TEXT_BLOCKS = 'h3_text_blocks'
export const H3_TEXT_BLOCKS_FIELDS = ['h3', 'text']

/** Returns the content scheme of a report. The default is `h3_text_blocks` for a report with content, otherwise null. */
export function contentSchemeOf(
  report: Pick<ReportRecord, 'content_scheme' | 'content'>,
): string | null {
  if (report.content_scheme !== undefined) return report.content_scheme
  return Object.keys(report.content ?? {}).length > 0 ? H3_TEXT_BLOCKS : null
}

/** True if a report has content for a keyword. The API then returns both `content` and `html` (specification 2.7). */
export function hasContent({ content }: Pick<ReportRecord, 'content'>, keyword: number): boolean {
  return content !== undefined && Object.hasOwn(content, keyword)
}

/** True for a report at project level, rather than below it (specification 4.5, 4.6). */
export function isProjectLevel({ level }: Pick<ReportRecord, 'level'>): boolean {
  return level === 'project'
}

/** Returns a predicate for the reports in the reports list of a project (specification 4.4, G-078). */
export function listedBy(
  levels: PolicyValue<'reports-list-levels'>,
): (report: Pick<ReportRecord, 'level'>) => boolean {
  return levels === 'filtered' ? isProjectLevel : () => true
}

/** In a reserved domain (RFC 2606), so that the stored links lead nowhere. */
const REPORTS_URL = 'https://reports.sandbox.example'

/**
 * Returns the links that worlds store for a report that the sandbox generated or completed. In its responses, a server replaces
 * them with the URLs of its own report pages.
 */
export function reportLinks(reportId: number): { pdf_link: string; web_link: string } {
  const web_link = `${REPORTS_URL}/${reportId}`
  return { pdf_link: `${web_link}.pdf`, web_link }
}

/**
 * Replaces one of {@link reportLinks} with the URL of the report's page or PDF; returns any other link unchanged. `pageOf`
 * returns the URL of the page.
 */
export function showReportLink(link: string, pageOf: (reportId: number) => string): string {
  const [, id, pdf = ''] =
    /^https:\/\/reports\.sandbox\.example\/([1-9]\d{0,15})(\.pdf)?$/.exec(link) ?? []
  return id === undefined ? link : `${pageOf(Number(id))}${pdf}`
}

interface Links {
  pdf_link: string | null
  web_link: string | null
}

export function showReportLinks<Linked extends Links>(
  linked: Linked,
  pageOf: (reportId: number) => string,
): Linked {
  const { pdf_link, web_link } = linked
  return {
    ...linked,
    pdf_link: pdf_link && showReportLink(pdf_link, pageOf),
    web_link: web_link && showReportLink(web_link, pageOf),
  }
}

interface ReportStepDefinition {
  /** Values of `status` in which the step is allowed. */
  from: readonly ReportStatus[]
  /** A phrase for the documentation. */
  description: string
}

/** The steps in the life of a report, for commands (G-086). The API has no such operations. */
export const REPORT_STEPS = {
  start: {
    from: ['pending'],
    description: 'Starts the generation of a report, whose status becomes `running`',
  },
  complete: {
    from: ['pending', 'running'],
    description:
      "Completes a report, with content for up to eight active keywords in the project's language, its scheme and links",
  },
  fail: {
    from: ['pending', 'running'],
    description: 'Makes the generation of a report fail; the report waits for a retry',
  },
  retry: {
    from: ['failed'],
    description: 'Restarts the generation of a failed report, whose status becomes `running`',
  },
  approve: {
    from: ['completed'],
    description: 'Approves a report: `approved_status` is `approved`, with `approved_by`',
  },
  reject: {
    from: ['completed'],
    description:
      'Takes back the approval of a report: `approved_status` and `approved_by` are null, unless the body gives them',
  },
  manage: {
    from: ['completed'],
    description: 'Manages a report: `managed_status` is `completed`, with `managed_by`',
  },
  send: {
    from: ['completed'],
    description:
      'Sends a report to the customer: `sent` is true, and `date_to_send_to_client` is today if it was null',
  },
  regenerate: {
    from: ['running', 'completed', 'failed'],
    description:
      'Replaces a report with a new row: the same number, a new id, and `created_at` now. It is completed if reports move only by commands, otherwise running',
  },
} as const satisfies Record<string, ReportStepDefinition>

export type ReportStep = keyof typeof REPORT_STEPS

export const REPORT_STEP_NAMES = Object.keys(REPORT_STEPS) as ReportStep[]

export function stepsFrom(status: ReportStatus): ReportStep[] {
  return REPORT_STEP_NAMES.filter((step) => canFollow(step, status))
}

export function canFollow(step: ReportStep, status: ReportStatus): boolean {
  const { from }: ReportStepDefinition = REPORT_STEPS[step]
  return from.includes(status)
}
