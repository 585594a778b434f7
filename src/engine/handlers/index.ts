import type { OperationId } from '../../contract/routes.ts'
import type { OperationContext } from '../operation-context.ts'
import type { Outcome } from '../messages.ts'
import { getCountry, getLanguage, listCountries, listLanguages } from './countries-and-languages.ts'
import { getMe } from './get-me.ts'
import { getProject } from './get-project.ts'
import { getReportContent } from './get-report-content.ts'
import { getLastGeneratedReport, getLatestReport } from './get-selected-report.ts'
import { getUser } from './get-user.ts'
import { listKeywords } from './list-keywords.ts'
import { listProjects } from './list-projects.ts'
import { listReports } from './list-reports.ts'
import { listUsers } from './list-users.ts'

/** The handler of each operation, for admitted requests. */
export const HANDLERS: Record<OperationId, (context: OperationContext) => Outcome> = {
  getMe,
  listCountries,
  getCountry,
  listLanguages,
  getLanguage,
  listUsers,
  getUser,
  listProjects,
  getProject,
  listReports,
  getLatestReport,
  getLastGeneratedReport,
  getReportContent,
  listKeywords,
}
