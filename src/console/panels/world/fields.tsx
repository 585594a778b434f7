import type { ComponentChildren } from 'preact'
import { toLabel } from '../../parts/field-labels.ts'
import { shorten } from '../../../wording/shorten.ts'
import { toAddress } from '../../parts/texts.ts'
import { toDay, toMinute } from '../../../wording/times.ts'
import type { Names } from './names.ts'

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
