import { toDateTime } from '../../contract/moments.ts'
import type { ProjectRecord } from '../../contract/project.ts'
import type { ProjectPlan, GenerationContext } from './plan.ts'
import { createdMs, flat } from './plan.ts'
import { createRandom } from '../random.ts'

/** The project itself: what lists, filters and search need. */
export function generateProject(plan: ProjectPlan, context: GenerationContext): ProjectRecord {
  const { id, company, domain } = plan
  const random = createRandom(context.seed, 'record', id)
  const agency = random.pick(context.agencies)
  const contact = flat('contact@', domain)
  const createdAt = toDateTime(createdMs(plan, context))
  const user = () => (agency.users.length === 0 ? null : random.pick(agency.users))
  return {
    id,
    agency: agency.id,
    name: company,
    status: 'active',
    created_at: flat(createdAt.slice(0, 10), createdAt.slice(10)),
    company_name: random.chance(0.8) ? company : null,
    domain: flat('https://', domain),
    country: context.country,
    text_language: context.language,
    report_language: context.language,
    managing_user: user(),
    created_by: user(),
    contact_email: contact,
    client_emails: random.chance(0.3) ? [contact, flat('office@', domain)] : [contact],
    receives_monthly_reports: random.chance(0.85),
    plan: null,
    gsc_status: random.chance(0.9) ? 'connected' : null,
  }
}
