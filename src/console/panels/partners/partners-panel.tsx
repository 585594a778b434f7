import { useState } from 'preact/hooks'
import { api } from '../../api/client.ts'
import type { Partner } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { EmptyState, ErrorState } from '../../parts/empty-state.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { shorten } from '../../../wording/shorten.ts'
import { toDay, toMinute } from '../../../wording/times.ts'
import { Unread } from '../../parts/unread.tsx'
import { usePages } from '../../parts/use-pages.ts'
import type { ReadPage } from '../../parts/use-pages.ts'
import { useSettled } from '../../parts/use-settled.ts'
import { VirtualTable } from '../../parts/virtual-table.tsx'
import type { Column } from '../../parts/virtual-table.tsx'
import { outdate } from '../../state/connection.ts'
import { navigate, query } from '../../state/location.ts'
import { useGet } from '../../state/resource.ts'
import { AllGiven } from './given.tsx'
import { HostErrors } from './host-errors.tsx'
import { InviteForm } from './invite-form.tsx'
import { PartnerCard } from './partner-card.tsx'
import { toUse } from './partner-words.ts'
import { Standing } from './standing.tsx'
import './partners.css'

const COLUMNS: readonly Column<Partner>[] = [
  { title: 'Partner', cell: ({ name }) => <bdi>{name}</bdi> },
  { title: 'Client', width: '12.5rem', cell: Standing },
  {
    title: 'Delivered',
    width: '7.5rem',
    align: 'end',
    isMinor: true,
    cell: ({ review }) => review && `${review.delivered} of ${review.finished}`,
  },
  {
    title: 'Requests',
    width: '6rem',
    align: 'end',
    isMinor: true,
    cell: ({ requests }) => requests.toLocaleString('en'),
  },
  {
    title: 'Last used',
    width: '10rem',
    isMinor: true,
    cell: ({ last_used_at: usedAt, requests }) => requests > 0 && toMinute(usedAt),
  },
  { title: 'Store', width: '8rem', align: 'end', isMinor: true, cell: toUse },
  {
    title: 'Expires',
    width: '7.75rem',
    isMinor: true,
    cell: ({ expires_at: expiresAt, damaged }) =>
      damaged === undefined ? toDay(expiresAt) : <strong title={damaged}>damaged</strong>,
  },
]

function readPartners(search: string, isFailed: boolean): ReadPage<Partner> {
  return async (range, signal) => {
    const filter = { ...(search && { search }), ...(isFailed && { failed: true }) }
    const {
      partners: rows,
      total,
      next,
    } = await api.get('/partners', { ...range, ...filter }, signal)
    return { rows, total, next }
  }
}

/** For the operator: who has a world, until when, how their client does, and what went wrong; invites, renews and revokes. */
export function PartnersPanel() {
  const [text, setText] = useState('')
  const [isFailed, setFailed] = useState(false)
  const [isInviting, setInviting] = useState(false)
  const search = useSettled(text.trim())
  const { total, rowAt, view, error } = usePages(readPartners(search, isFailed), [search, isFailed])
  const health = useGet('/health')
  const errors = useGet('/errors')
  const limits = Object.entries(useGet('/limits').value ?? {})
  const chosen = query.value['partner']
  const isAll = search === '' && !isFailed
  return (
    <>
      <h1>Partners</h1>
      <p class="sub">Each has a world of their own, until it expires. Times are in UTC.</p>
      <div class="toolbar">
        <Button
          variant={isInviting ? 'plain' : 'primary'}
          pressed={isInviting}
          onPress={() => setInviting(!isInviting)}
        >
          Invite a partner
        </Button>
        <SearchField label="Search partners" value={text} onInput={setText} />
        <Button pressed={isFailed} onPress={() => setFailed(!isFailed)}>
          With trouble only
        </Button>
        <Button variant="quiet" onPress={outdate}>
          Read again
        </Button>
      </div>
      {health.value?.problems?.map((problem) => (
        <p key={problem} class="note">
          {problem}
        </p>
      ))}
      {isInviting && <InviteForm onInvited={() => setInviting(false)} />}
      {chosen !== undefined && <PartnerCard key={chosen} id={chosen} />}
      <AllGiven />
      {error !== undefined && total === undefined && <ErrorState message={error} />}
      {total === 0 &&
        (isAll ? (
          <EmptyState title="No partners yet">
            Whoever you invite gets a world of their own, and a link that opens it.
          </EmptyState>
        ) : (
          <EmptyState title="No partner is found">
            {isFailed ? 'No client fails its review' : 'No name'}
            {search !== '' && (
              <>
                {isFailed ? ', of those with ' : ' has '}
                <bdi>“{shorten(search, 40)}”</bdi> in {isFailed ? 'their name' : 'it'}
              </>
            )}
            .
          </EmptyState>
        ))}
      {total !== 0 && (
        <div class="fill">
          <VirtualTable
            label="Partners"
            columns={COLUMNS}
            count={total ?? 6}
            rowAt={rowAt}
            keyOf={({ id }) => id}
            selected={chosen}
            onSelect={({ id }) => {
              // The card is read now, and the row of it with it.
              outdate()
              navigate({ partner: id === chosen ? undefined : id })
            }}
            onView={view}
          />
        </div>
      )}
      {limits.length > 0 && (
        <p class="soft">
          Each world may have:{' '}
          {limits.map(([name, most]) => `${name} ${most.toLocaleString('en')}`).join(', ')} (
          <code>--limits</code>)
        </p>
      )}
      <Card title="Last errors of this server" class="host-errors">
        <Unread of={errors} />
        {errors.value && <HostErrors errors={errors.value} />}
      </Card>
    </>
  )
}
