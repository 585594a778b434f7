import type { ProjectRecord } from '../../contract/project.ts'
import { createRandom } from '../random.ts'
import type { Random } from '../random.ts'
import { flat } from './flat.ts'
import type { ProjectPlan, GenerationContext } from './plan.ts'
import { toSlug } from './slug.ts'
import { GSC_STATUSES, PLANS, STATUSES } from './variety.ts'

/** The agency of a project, which is drawn first for its record. */
export function agencyOf(id: number, { seed, agencies }: GenerationContext) {
  return createRandom(seed, 'record', id).pick(agencies)
}

/** The project itself: what lists, filters and search need. */
export function generateProject(plan: ProjectPlan, context: GenerationContext): ProjectRecord {
  const { id, company, domain, market, situation, stated } = plan
  const random = createRandom(context.seed, 'record', id)
  const agency = random.pick(context.agencies)
  const { country, language } = (context.markets[market] ?? context.markets[0])!
  const user = () => (agency.users.length === 0 ? null : random.pick(agency.users))
  const { variety, showcase } = context.options
  const various = variety ? createRandom(context.seed, 'variety', id) : undefined
  const contact = pickAddress(plan, random)
  return {
    id,
    agency: agency.id,
    name: company,
    status: situation?.status ?? (various && !showcase ? various.pick(STATUSES) : 'active'),
    created_at: context.calendar.toDateTime(plan.createdMs),
    company_name: random.chance(0.8) || stated ? company : null,
    domain: flat('https://', domain),
    country,
    text_language: language,
    report_language: language,
    managing_user: user(),
    created_by: user(),
    contact_email: contact,
    client_emails: listAddresses(contact, plan, random),
    receives_monthly_reports: random.chance(0.85),
    plan: various ? various.pick(PLANS) : null,
    gsc_status: various ? various.pick(GSC_STATUSES) : random.chance(0.9) ? 'connected' : null,
  }
}

/** An address of the business: of a person, for bookings, or its usual one. */
function pickAddress({ words, surname, trade, mailHost }: ProjectPlan, random: Random) {
  const { general, booking } = words.mailboxes
  if (random.chance(0.35)) {
    const first = toSlug(random.pick(words.people.companies))
    return flat(first, '.', toSlug(surname ?? random.pick(words.surnames)), '@', mailHost)
  }
  const isBooked = trade?.isBooked && random.chance(0.4)
  return flat(isBooked ? booking : random.pick(general), '@', mailHost)
}

/** Who receives reports: the contact, and in three of ten cases somebody else too. */
function listAddresses(contact: string, plan: ProjectPlan, random: Random): string[] {
  if (!random.chance(0.3)) return [contact]
  const other = pickAddress(plan, random)
  return other === contact ? [contact] : [contact, other]
}
