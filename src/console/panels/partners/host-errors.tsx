import type { HostError } from '../../api/types.ts'
import { count } from '../../parts/texts.ts'
import { toMinute } from '../../../wording/times.ts'

/** What this server has refused, or what went wrong. */
export function HostErrors({ errors }: { errors: readonly HostError[] }) {
  if (errors.length === 0) return <p class="soft">None since the server was started.</p>
  return (
    <ul>
      {errors.map(({ at, world, message, times }) => (
        <li key={`${world} ${message}`}>
          {message}
          <small class="soft">
            {`${toMinute(at)}${world === null ? '' : `, world ${world}`}, ${count(times, 'time')}`}
          </small>
        </li>
      ))}
    </ul>
  )
}
