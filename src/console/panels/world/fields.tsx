import { useGet } from '../../state/resource.ts'
import { shorten, toAddress } from '../../parts/texts.ts'

/** The fields of a record by their own names, in the order that it has them. */
export function Fields({ record }: { record: object }) {
  return (
    <dl class="fields">
      {Object.entries(record).map(([name, value]) => (
        <div key={name}>
          <dt class="mono">{name}</dt>
          <dd>
            <Value value={value} address={LINKS.includes(name) ? toAddress(value) : undefined} />{' '}
            {PEOPLE.includes(name) && typeof value === 'number' && <Name user={value} />}
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** The fields with the id of a user. */
const PEOPLE = ['approved_by', 'created_by', 'managed_by', 'managing_user']

function Name({ user }: { user: number }) {
  const { value } = useGet(`/records/users/${user}`)
  return <bdi>{value && shorten(value.name, 80)}</bdi>
}

/** The fields with an address that may be opened. */
const LINKS = ['pdf_link', 'web_link']

function Value({ value, address }: { value: unknown; address: string | undefined }) {
  if (value === null || value === undefined) return <span class="soft">null</span>
  const text = <bdi>{shorten(typeof value === 'string' ? value : JSON.stringify(value))}</bdi>
  if (address === undefined) return text
  return (
    <a href={address} target="_blank" rel="noreferrer">
      {text}
    </a>
  )
}
