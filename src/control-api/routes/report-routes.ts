import { Id } from '../../contract/conventions.ts'
import { ReportRecord } from '../../contract/report.ts'
import { showReportLinks, REPORT_STEP_NAMES } from '../../contract/report-facts.ts'
import { recordNotFound } from '../../world/command-error.ts'
import { reportCreate } from '../../world/commands/report-commands.ts'
import {
  choiceParameter,
  created,
  defineCommandRoute,
  defineRoute,
  idParameter,
  ok,
} from './route.ts'
import type { ControlRoutes } from './route.ts'

const noun = 'a transition of a report'
const step = choiceParameter(REPORT_STEP_NAMES, 'The transition', noun)

const FieldsGiven = ReportRecord.partial()
  .optional()
  .describe('Fields of the report that override those that the transition sets; may be omitted')

const Links = ReportRecord.pick({ pdf_link: true, web_link: true })

export const REPORT_ROUTES: ControlRoutes = {
  tag: 'Reports',
  page: 'docs/time-and-reports.md',
  description: 'Transitions of reports',
  routes: [
    defineCommandRoute({
      id: 'createReport',
      role: 'world',
      method: 'post',
      path: '/projects/:id/reports',
      summary: 'Creates the next report of a project',
      description:
        'The report is pending, has the number after the last one, and is due a month after it. The body may be omitted, or have fields of the report that override these. Refused after report 26.',
      needsRoom: true,
      params: { id: idParameter(Id.describe('The id of the project')) },
      command: reportCreate,
      body: FieldsGiven,
      toCommand: ({ params, body = {} }) => ({
        type: 'report.create',
        project: params.id,
        fields: body as Record<string, unknown>,
      }),
      toResponse: created,
      responses: { 201: ReportRecord },
    }),
    defineRoute({
      id: 'getReportLinks',
      role: 'world',
      method: 'get',
      path: '/reports/:id/links',
      summary: 'Shows the links of a report as the API returns them',
      description:
        'Records have the links that worlds store. Here, links that the sandbox filled in lead to the pages of this server.',
      params: { id: idParameter(Id.describe('The id of the report'), toMessage) },
      responses: { 200: Links },
      answer: ({ world, pageOf }, { params: { id } }) => {
        const report = world.records.get('reports', id)
        if (!report) throw recordNotFound(toMessage(id))
        const { pdf_link, web_link } = report
        return ok(showReportLinks({ pdf_link, web_link }, pageOf))
      },
    }),
    defineCommandRoute({
      id: 'moveReport',
      role: 'world',
      method: 'post',
      path: '/reports/:id/:step',
      summary: 'Applies a transition to a report, such as complete',
      description:
        'Returns the report in the format of fixtures, with the fields that the service would fill: a completed report has content, its scheme and links. The body may be omitted, or have fields of the report that override those that the transition sets. A transition that cannot follow is refused, and the error names those that can.',
      needsRoom: true,
      params: { id: idParameter(Id.describe('The id of the report')), step },
      command: { result: ReportRecord },
      body: FieldsGiven,
      toCommand: ({ params, body = {} }) => ({
        type: `report.${params.step}`,
        report: params.id,
        fields: body as Record<string, unknown>,
      }),
    }),
  ],
}

function toMessage(id: string | number): string {
  return `There is no report ${id}.`
}
