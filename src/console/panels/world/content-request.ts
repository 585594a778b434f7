import { api } from '../../api/client.ts'
import type { RecordOf } from '../../api/types.ts'
import type { ReportContent } from '../../../contract/report-content.ts'
import { ApiError } from '../../api/api-error.ts'
import { listTokens, tokenFor } from '../../state/tokens.ts'

type Report = RecordOf<'reports'>

/** What the API says about the content of a report. */
export interface ContentResponse {
  /** The request, as a line: `GET /api/v1/…`. */
  line: string
  status: number
  /** The name of the token that was used; its requests are one more now. */
  token: string
  /** Null where the status is not 200, or the body is not as the specification describes it. */
  content: ReportContent | null
}

/**
 * Asks the API for the content of a report, as a client with a token of the world that may see it.
 *
 * @throws ApiError where there is no such token.
 */
export async function askForContent({ project, report_number }: Report): Promise<ContentResponse> {
  const [{ agency }, tokens] = await Promise.all([
    api.get(`/records/projects/${project}`),
    listTokens(),
  ])
  const token = tokenFor(tokens, agency)
  if (!token) {
    const message = `No token of this world may see project ${project}. Add one that is active, of any address and with all abilities.`
    throw new ApiError(0, 'no_token', message)
  }
  const path = `/api/v1/projects/${project}/reports/${report_number}/content`
  const { status, text } = await api.request(
    { path, token: token.token },
    `Asked for the content of report ${report_number} of project ${project}`,
  )
  return { line: `GET ${path}`, status, token: token.name, content: toContent(status, text) }
}

function toContent(status: number, text: string): ReportContent | null {
  if (status !== 200) return null
  try {
    // A fault may have changed the body.
    const { data } = JSON.parse(text) as { data?: ReportContent }
    return data && Array.isArray(data.keywords) ? data : null
  } catch {
    return null
  }
}

/** Every text of a value, one below the other: the HTML of a keyword, whatever shape its scheme has. */
export function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsOf)
}
