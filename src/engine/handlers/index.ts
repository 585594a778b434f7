import type { OperationId } from '../../contract/routes.ts'
import type { OperationContext, OperationResult } from '../messages.ts'
import { getCountry, getLanguage, listCountries, listLanguages } from './countries-and-languages.ts'
import { getMe, getUser, listUsers } from './users.ts'
import { getProject, listProjects } from './projects.ts'
import { getReportContent } from './get-report-content.ts'
import { getLastGeneratedReport, getLatestReport, listReports } from './project-reports.ts'
import { listKeywords } from './list-keywords.ts'

export const HANDLERS: Record<OperationId, (context: OperationContext) => OperationResult> = {
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
