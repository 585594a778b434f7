import { z } from 'zod'
import { DateTimeInput, Id } from '../../contract/conventions.ts'
import { Explanation } from '../../contract/explanation.ts'
import type { SelectionExplanation } from '../../contract/explanation.ts'
import { EXPLANATION_OPTIONS } from '../../contract/explanation-options.ts'
import { DEFAULT_CHANGES, MAXIMUM_CHANGES } from '../../contract/limits.ts'
import { orText } from '../../contract/read-fields.ts'
import { showReportLinks } from '../../contract/report-facts.ts'
import { schemaBy } from '../../contract/validate.ts'
import { recordNotFound } from '../../world/command-error.ts'
import { defineRoute, idParameter, ok } from './route.ts'
import type { ControlRoutes } from './route.ts'

/** Options of an explanation as a query, in which numbers are text. */
const ExplanationQuery = z.strictObject({
  at: DateTimeInput.optional().describe(
    'The time on the world clock to explain, if nothing else happens; now if omitted',
  ),
  changes: schemaBy(orText(EXPLANATION_OPTIONS.changes), {
    type: 'integer',
    minimum: 0,
    maximum: MAXIMUM_CHANGES,
  })
    .optional()
    .describe(`Maximum number of upcoming changes to list; ${DEFAULT_CHANGES} if omitted`),
} satisfies Record<keyof typeof EXPLANATION_OPTIONS, z.ZodType>)

export const PROJECT_ID = idParameter(Id.describe('The id of the project'), noProject)

export const EXPLAIN_ROUTES: ControlRoutes = {
  tag: 'Explanation',
  page: 'docs/time-and-reports.md',
  description: 'Reasons for the responses of the API',
  routes: [
    defineRoute({
      id: 'explainProject',
      role: 'world',
      method: 'get',
      path: '/explain/projects/:id',
      summary:
        'Explains the selection of latest and last-generated of a project, and its next changes',
      description:
        'Lists every report of the project as of that time, with the reason that each endpoint selects it or not. `at` may be any time, even in the past, and changes nothing: values that commands have set count as if they had always been set, and reports that do not move with time stay as they are. To find the next change of a whole world, ask for each project.',
      params: { id: PROJECT_ID },
      query: ExplanationQuery,
      responses: { 200: Explanation },
      answer: ({ world, pageOf }, { params: { id }, query }) => {
        const explanation = world.explain(id, query)
        if (!explanation) throw recordNotFound(noProject(id))
        const show = (selection: SelectionExplanation): SelectionExplanation => ({
          ...selection,
          data: selection.data && showReportLinks(selection.data, pageOf),
        })
        return ok({
          ...explanation,
          latest: show(explanation.latest),
          last_generated: show(explanation.last_generated),
        })
      },
    }),
  ],
}

export function noProject(id: string | number): string {
  return `There is no project ${id}.`
}
