import { parseUrl } from '../../contract/url.ts'
import { toDay, toMinute } from '../../wording/times.ts'

/** The beginning and the end of a token or a key, by which people recognise it. */
export function shortenSecret(text: string): string {
  return text.length > 36 ? `${text.slice(0, 24)}…${text.slice(-4)}` : text
}

/** An address that a link may lead to; undefined for anything else, as for `javascript:`. */
export function toAddress(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined
  return /^https?:\/\//i.test(text) && parseUrl(text) ? text : undefined
}

/** True for a text with every word of a search, somewhere and in any case. */
export function hasWords(text: string, search: string): boolean {
  const lower = text.toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word))
}

const DATE = /^\d{4}-\d\d-\d\d$/
const DATE_TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/** A value of the API as people write it; of an address the last part, which is what differs. */
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
  if (toAddress(text) !== undefined) return text.replace(/^.*\/(?=.)/, '…/')
  return DATE_TIME.test(text) ? toMinute(text) : text
}

/** A sentence with its dates and times as people write them. */
export function withDays(sentence: string): string {
  return sentence.replaceAll(/\b\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?\b/g, toWords)
}

/** The labels of fields whose own names say too little, or too much. */
const LABELS: Readonly<Record<string, string>> = {
  id: 'ID',
  gsc_status: 'Search Console',
  date_to_create_texts: 'Texts due',
  date_to_send_to_client: 'To the client',
  pdf_link: 'PDF',
}

/** A field in words: `Texts due`. */
export function toLabel(name: string): string {
  const words = name.replaceAll('_', ' ')
  return LABELS[name] ?? words.charAt(0).toUpperCase() + words.slice(1)
}
