import type { HostError, Partner } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { count } from '../../parts/texts.ts'
import { toDay, toMinute } from '../../parts/times.ts'
import { Unread } from '../../parts/unread.tsx'
import { VirtualTable } from '../../parts/virtual-table.tsx'
import type { Column } from '../../parts/virtual-table.tsx'
import { outdate } from '../../state/connection.ts'
import { pickWorld } from '../../state/current-world.ts'
import { useGet } from '../../state/resource.ts'
import './partners.css'

const COLUMNS: readonly Column<Partner>[] = [
  { title: 'Partner', cell: ({ name }) => <bdi>{name}</bdi> },
  { title: 'World', width: '11.5rem', isMinor: true, cell: ({ world }) => world },
  {
    title: 'Link',
    width: '6rem',
    isMinor: true,
    cell: ({ claimed }) => (claimed ? 'used' : 'open'),
  },
  {
    title: 'Requests',
    width: '6rem',
    align: 'end',
    cell: ({ requests }) => requests.toLocaleString('en'),
  },
  {
    title: 'Last request or change',
    width: '11rem',
    isMinor: true,
    cell: ({ last_used_at: usedAt }) => toMinute(usedAt),
  },
  {
    title: 'Store',
    width: '8rem',
    align: 'end',
    isMinor: true,
    cell: ({ bytes, maximum_bytes: most }) => `${toMegabytes(bytes)} of ${toMegabytes(most)} MB`,
  },
  {
    title: 'Expires',
    width: '8rem',
    cell: ({ expires_at: expiresAt, damaged }) =>
      damaged === undefined ? toDay(expiresAt) : <strong title={damaged}>damaged</strong>,
  },
]

/** For the operator: who has a world, until when, how much they use it, and what went wrong. */
export function PartnersPanel() {
  const partners = useGet('/partners')
  const errors = useGet('/errors')
  const health = useGet('/health')
  const { value } = partners
  return (
    <>
      <h1>Partners</h1>
      <p class="sub">
        Each has a world of their own, until it expires. Times are in UTC. Invite, renew and revoke
        them with <code>seo-sandbox partners</code>.
      </p>
      <div class="toolbar">
        <Button onPress={outdate}>Read again</Button>
      </div>
      {health.value?.problems?.map((problem) => (
        <p key={problem} class="note">
          {problem}
        </p>
      ))}
      <Unread of={partners} lines={6} />
      {value?.length === 0 && (
        <EmptyState title="No partners yet">
          <code>seo-sandbox partners add NAME</code> invites one.
        </EmptyState>
      )}
      {value && value.length > 0 && (
        <div class="fill">
          <VirtualTable
            label="Partners"
            columns={COLUMNS}
            count={value.length}
            rowAt={(index) => value[index]}
            keyOf={({ id }) => id}
            onSelect={({ world }) => pickWorld(world)}
          />
        </div>
      )}
      <Card title="Last errors of this server" class="host-errors">
        <Unread of={errors} />
        {errors.value?.length === 0 && <p class="soft">None since the server was started.</p>}
        <ul>{errors.value?.map(toItem)}</ul>
      </Card>
    </>
  )
}

function toMegabytes(bytes: number): string {
  return (bytes / 1_000_000).toLocaleString('en', { maximumFractionDigits: 1 })
}

function toItem({ at, world, message, times }: HostError) {
  return (
    <li key={`${world} ${message}`}>
      {message}
      <small class="soft">
        {`${toMinute(at)}${world === null ? '' : `, world ${world}`}, ${count(times, 'time')}`}
      </small>
    </li>
  )
}
