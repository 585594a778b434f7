import { defineCheck } from '../check.ts'
import { parametersOf } from '../reviewed-request.ts'

export const agencyFilterScoped = defineCheck({
  id: 'agency-filter-scoped',
  category: 'requests',
  severity: 'error',
  section: '4.3',
  finds: 'sent `agency_id`, which is for super-admin tokens, with the token of an agency',
  instead: "Leave `agency_id` out: an agency's token lists the projects of its own agency.",
  exercise: 'Let the client list projects.',
  sees: ['listProjects'],
  read: ({ sender: { token }, query, sequence }, report, _, { records }) => {
    if (!token) return
    report.meet()
    if (!parametersOf(query).some(([name]) => name === 'agency_id')) return
    if (records.get('tokens', token.id)?.agency === null) return
    report.fail(() => `Request ${sequence} filters by agency_id, with the token of an agency.`)
  },
})
