import { useEffect, useState } from 'preact/hooks'
import { ApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import type { Explanation, RecordOf } from '../../api/types.ts'
import { notifyOf } from '../../state/notices.ts'

export interface ReadReport {
  report: RecordOf<'reports'>
  /** As the API returns them. */
  links: Pick<RecordOf<'reports'>, 'pdf_link' | 'web_link'>
}

/**
 * A report with its content and its links, as it is now. It is read after the explanation that has its id, which a
 * regenerated report no longer has. Until another one is read it is the one before, so that nothing jumps.
 */
export function useReport(id: number, explanation: Explanation): ReadReport | undefined {
  const [read, setRead] = useState<ReadReport>()
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    Promise.all([
      api.get(`/records/reports/${id}`, {}, signal),
      api.get(`/reports/${id}/links`, {}, signal),
    ]).then(
      ([report, links]) => setRead({ report, links }),
      (error: unknown) => {
        // One that has gone since is in no explanation any more.
        const isGone = error instanceof ApiError && error.status === 404
        if (!signal.aborted && !isGone) notifyOf(error)
      },
    )
    return () => controller.abort()
  }, [id, explanation])
  return read
}
