/** A host under a name that is reserved (RFC 2606) and leads nowhere. */
const REPORTS_URL = 'https://reports.sandbox.example'

/**
 * The links of a report that the sandbox generated or completed, as worlds store them and as they are answered in
 * process. Over HTTP a server replaces them by the addresses of its own pages.
 */
export function reportLinks(reportId: number): { pdf_link: string; web_link: string } {
  const web_link = `${REPORTS_URL}/${reportId}`
  return { pdf_link: `${web_link}.pdf`, web_link }
}

/** Whether a link is one of {@link reportLinks}, rather than another that a fixture states. */
export function isReportLink(link: string): boolean {
  return /^https:\/\/reports\.sandbox\.example\/[1-9]\d{0,15}(\.pdf)?$/.test(link)
}
