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

/** The address of a page in place of one of {@link reportLinks}; any other link, as a fixture may state it, stays as it is. */
export function showReportLink(link: string, pageOf: (reportId: number) => string): string {
  const [, id, pdf = ''] =
    /^https:\/\/reports\.sandbox\.example\/([1-9]\d{0,15})(\.pdf)?$/.exec(link) ?? []
  return id === undefined ? link : `${pageOf(Number(id))}${pdf}`
}

interface Links {
  pdf_link: string | null
  web_link: string | null
}

/** An object with both links of a report, with the addresses of pages in place of {@link reportLinks}. */
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
