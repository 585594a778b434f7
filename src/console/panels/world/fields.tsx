import type { ComponentChildren } from 'preact'
import { shorten, toAddress } from '../../parts/texts.ts'
import { toDay, toMinute } from '../../parts/times.ts'
import type { Names } from './names.ts'

/** What fields are called whose own names say too little, or too much. */
const LABELS: Record<string, string> = {
  id: 'ID',
  company_name: 'Company',
  text_language: 'Language of texts',
  report_language: 'Language of reports',
  managing_user: 'Account manager',
  contact_email: 'Contact e-mail',
  client_emails: 'Client e-mails',
  receives_monthly_reports: 'Monthly report by e-mail',
  gsc_status: 'Search Console',
  report_name: 'Name',
  date_to_create_texts: 'Texts due',
  date_to_send_to_client: 'Goes to the client',
  sent: 'Sent to the client',
  approved_status: 'Approval',
  managed_status: 'Management',
  pdf_link: 'PDF',
  web_link: 'Web page',
  created_at: 'Created',
  action_type: 'Kind',
  content_scheme: 'Format of the texts',
  content_scheme_fields: 'Parts of that format',
}

function toLabel(name: string): string {
  const words = name.replaceAll('_', ' ')
  return LABELS[name] ?? words.charAt(0).toUpperCase() + words.slice(1)
}

/** The fields of a record in words, each with its own name, in the order that it has them. */
export function Fields({ record, names }: { record: object; names: Names }) {
  return (
    <dl class="fields">
      {Object.entries(record).map(([name, value]) => (
        <div key={name}>
          <dt>
            {toLabel(name)} <code>{name}</code>
          </dt>
          <dd>{toShown(name, value, names[name])}</dd>
        </div>
      ))}
    </dl>
  )
}

/** The fields with an address that may be opened. */
const LINKS = ['pdf_link', 'web_link']

/** A value as people write it; `named` is what an id names. */
function toShown(name: string, value: unknown, named: string | undefined): ComponentChildren {
  if (value === null || value === undefined) return <span class="soft">–</span>
  if (Array.isArray(value)) {
    if (value.length === 0) return <span class="soft">–</span>
    return (
      <ul>
        {value.map((item, index) => (
          <li key={index}>
            <bdi>{toText(item)}</bdi>
          </li>
        ))}
      </ul>
    )
  }
  if (named !== undefined) {
    return (
      <>
        <bdi>{shorten(named, 80)}</bdi> <span class="soft">{toText(value)}</span>
      </>
    )
  }
  const text = <bdi>{toWords(name, value)}</bdi>
  const address = LINKS.includes(name) ? toAddress(value) : undefined
  if (address === undefined) return text
  return (
    <a href={address} target="_blank" rel="noreferrer">
      {text}
    </a>
  )
}

function toWords(name: string, value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  const isTime = typeof value === 'string' && !Number.isNaN(Date.parse(value))
  if (isTime && name.startsWith('date_')) return toDay(value)
  if (isTime && name.endsWith('_at')) return toMinute(value)
  return toText(value)
}

function toText(value: unknown): string {
  return shorten(typeof value === 'string' ? value : JSON.stringify(value))
}
