import { API_PREFIX } from '../../contract/url.ts'
import { defineCheck } from '../check.ts'

export const doubledPrefix = defineCheck({
  id: 'doubled-prefix',
  category: 'requests',
  severity: 'error',
  section: '9(1)',
  finds: 'sent `/api/v1` twice, by adding a link to a base URL that ends with it',
  instead:
    'Resolve links against the host, as `new URL(link, baseUrl)` does: they begin with `/api/v1`.',
  exercise: 'Let the client follow a link, such as `links.next` of the project list.',
  sees: ['unknown', 'getLatestReport', 'getLastGeneratedReport', 'listProjects'],
  read: ({ path, operation, query, sequence }, report) => {
    if (path.startsWith(`${API_PREFIX}${API_PREFIX}`)) {
      report.fail(() => `Request ${sequence} has the path prefix ${API_PREFIX} twice.`)
    } else if (operation && (operation !== 'listProjects' || query.includes('page='))) {
      report.meet()
    }
  },
})
