import type { JSX } from 'preact'
import { api } from '../../api/client.ts'
import { useResource } from '../../state/resource.ts'
import { toLine } from './texts.ts'

/** The fields of a record by their own names, in the order that it has them. */
export function Fields({ record }: { record: object }): JSX.Element {
  return (
    <dl class="fields">
      {Object.entries(record).map(([name, value]) => (
        <div key={name}>
          <dt class="mono">{name}</dt>
          <dd>
            <Value value={value} />{' '}
            {PEOPLE.includes(name) && typeof value === 'number' && <Name user={value} />}
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** The fields with the id of a user. */
const PEOPLE = ['approved_by', 'created_by', 'managed_by', 'managing_user']

function Name({ user }: { user: number }): JSX.Element {
  const { value } = useResource((signal) => api.get(`/records/users/${user}`, {}, signal), [user])
  return <bdi>{value && toLine(value.name, 80)}</bdi>
}

function Value({ value }: { value: unknown }): JSX.Element {
  if (value === null || value === undefined) return <span class="soft">null</span>
  return <bdi>{toLine(typeof value === 'string' ? value : JSON.stringify(value))}</bdi>
}
