import { parseUrl } from '../../contract/url.ts'
import { capitalize } from '../../wording/fit-on-line.ts'
import { toDay, toMinute } from '../../wording/times.ts'

/** Shortens a token or key of over 36 characters to the first 24 and the last 4, by which people recognise it. */
export function shortenSecret(text: string): string {
  return text.length > 36 ? `${text.slice(0, 24)}…${text.slice(-4)}` : text
}

/** Returns an absolute HTTP or HTTPS URL, which is safe to link to; undefined for any other value, such as a `javascript:` URL. */
export function toHttpUrl(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined
  return /^https?:\/\//i.test(text) && parseUrl(text) ? text : undefined
}

/** True if the text contains every word of a search, ignoring case. */
export function hasWords(text: string, search: string): boolean {
  const lower = text.toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word))
}

const DATE = /^\d{4}-\d\d-\d\d$/
const DATE_TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/** Formats a value of the API for reading; null and undefined as a dash. An HTTP URL is shortened to its last segment. */
export function toWords(value: unknown): string {
  if (value === null || value === undefined) return '–'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.map(toWords).join(', ')
  if (typeof value === 'object') {
    const { name, label } = value as { name?: string; label?: string }
    return name ?? label ?? JSON.stringify(value)
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (DATE.test(text)) return toDay(text)
  if (toHttpUrl(text) !== undefined) return text.replace(/^.*\/(?=.)/, '…/')
  return DATE_TIME.test(text) ? toMinute(text) : text
}

/** Returns a sentence with its dates and times formatted for reading. */
export function withDays(sentence: string): string {
  return sentence.replaceAll(/\b\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?\b/g, toWords)
}

/** Labels of fields whose API names would not make good labels. */
const LABELS: Readonly<Record<string, string>> = {
  id: 'ID',
  gsc_status: 'Search Console',
  date_to_create_texts: 'Texts due',
  client_emails: 'Emails of the customer',
  date_to_send_to_client: 'Due at the customer',
  pdf_link: 'PDF',
}

export function toLabel(name: string): string {
  return LABELS[name] ?? capitalize(name.replaceAll('_', ' '))
}
