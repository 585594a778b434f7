import { useEffect, useState } from 'preact/hooks'
import { ApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import type { Explanation, RecordOf } from '../../api/types.ts'
import { notifyOf } from '../../state/notices.ts'

/**
 * A report with its content, as it is now. It is read after the explanation that has its id, which a report that was
 * regenerated has no more. Until another one is read it is the one before, so that nothing jumps.
 */
export function useReport(id: number, explanation: Explanation): RecordOf<'reports'> | undefined {
  const [report, setReport] = useState<RecordOf<'reports'>>()
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    api.get(`/records/reports/${id}`, {}, signal).then(setReport, (error: unknown) => {
      // One that has gone since is in no explanation any more.
      const isGone = error instanceof ApiError && error.status === 404
      if (!signal.aborted && !isGone) notifyOf(error)
    })
    return () => controller.abort()
  }, [id, explanation])
  return report
}
