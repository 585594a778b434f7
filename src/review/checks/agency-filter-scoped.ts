import { defineCheck } from '../check.ts'
import { parametersOf } from '../query.ts'

export const agencyFilterScoped = defineCheck({
  id: 'agency-filter-scoped',
  category: 'requests',
  severity: 'error',
  section: '4.3',
  finds: '`agency_id` was sent with the token of an agency; it is for super-admin tokens only',
  instead: "Leave `agency_id` out: an agency's token lists the projects of its own agency.",
  sees: ['listProjects'],
  start: () => null,
  read: (_, { operation, token, query, sequence }, report, { records }) => {
    if (operation !== 'listProjects' || token === undefined) return
    report.meet()
    if (!query.includes('agency_id')) return
    if (!parametersOf(query).some(([name]) => name === 'agency_id')) return
    if (records.get('tokens', token)?.agency === null) return
    report.fail(() => ({
      requests: [sequence],
      message: `Request ${sequence} filters by agency_id, with the token of an agency.`,
    }))
  },
})
