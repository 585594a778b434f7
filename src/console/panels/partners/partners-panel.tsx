import { Users } from 'lucide'
import { useEffect, useState, useLayoutEffect, useRef } from 'preact/hooks'
import { api } from '../../api/client.ts'
import type { Partner, Invitation } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Section } from '../../parts/section.tsx'
import { EmptyState, ErrorState, Unread } from '../../parts/placeholders.tsx'
import { FieldError, SearchField, Select } from '../../parts/form-fields.tsx'
import { toMinute } from '../../../wording/times.ts'
import { usePages, useSettled } from '../../parts/use-pages.ts'
import type { ReadPage } from '../../parts/use-pages.ts'
import { VirtualTable } from '../../parts/virtual-table.tsx'
import type { Column } from '../../parts/virtual-table.tsx'
import { connection, outdate } from '../../api/transport.ts'
import { demoLocale, localeChoices, writeDemo } from '../../state/demo.ts'
import { navigate, query } from '../../state/location.ts'
import { useGet, useResource } from '../../state/resource.ts'
import { StateWord } from '../../parts/marked-text.tsx'
import { PartnerSecrets, showSecrets } from './partner-secrets.tsx'
import type { PartnerSecret } from './partner-secrets.tsx'
import {
  HostErrors,
  PartnerCard,
  storedSize,
  PartnerStanding,
  LimitList,
  lastDay,
  expiryWords,
  TERMS,
  USUAL_TERM,
} from './partner-card.tsx'
import './partners.css'

const COLUMNS: readonly Column<Partner>[] = [
  {
    title: 'Partner',
    cell: ({ name, damaged, expires_at: expiresAt }) => (
      <>
        <b>
          <bdi>
            {name} <span aria-hidden="true">›</span>
          </bdi>
        </b>
        <small class="soft">
          {damaged === undefined ? (
            expiryWords(expiresAt)
          ) : (
            <StateWord state="failed">damaged</StateWord>
          )}
        </small>
      </>
    ),
  },
  { title: 'Client', width: '10rem', cell: PartnerStanding },
  {
    title: 'Reports delivered',
    width: '8.5rem',
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
  { title: 'Stored', width: '8rem', align: 'end', isMinor: true, cell: storedSize },
]

function readPartners(search: string, isFailed: boolean): ReadPage<Partner> {
  return async (range, signal) => {
    const filter = { search, failed: isFailed || undefined }
    const { partners, total, next } = await api.get('/partners', { ...range, ...filter }, signal)
    return { rows: partners, total, next }
  }
}

export function PartnersPanel() {
  const [text, setText] = useState('')
  const [isFailed, setFailed] = useState(false)
  const [isInviting, setInviting] = useState(false)
  const search = useSettled(text.trim())
  const refreshKey = usePolling()
  const keys = [search, isFailed]
  const { total, rowAt, view, error } = usePages(readPartners(search, isFailed), keys, refreshKey)
  const health = useGet('/health')
  const errors = useGet('/errors', refreshKey)
  const { value: limits } = useGet('/limits')
  const chosen = query.value['partner']
  const isAll = search === '' && !isFailed
  const list = useRef<HTMLDivElement>(null)
  // On a narrow screen, the card replaces the list, so the top of the card may be above the visible part of the page.
  useLayoutEffect(() => {
    if (chosen !== undefined) list.current?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  const invite = (
    <Button
      icon={Users}
      variant={isInviting ? 'plain' : 'primary'}
      pressed={isInviting}
      onPress={() => setInviting(!isInviting)}
    >
      Invite a partner
    </Button>
  )
  return (
    <>
      <div class="row head">
        <h1>Partners</h1>
        <p>Each has a world of their own until it expires. Times are in UTC.</p>
        {(total !== 0 || !isAll) && invite}
      </div>
      {health.value?.problems?.map((problem) => (
        <p key={problem}>
          <StateWord state="late">{problem}</StateWord>
        </p>
      ))}
      {isInviting && <InviteForm onInvited={() => setInviting(false)} />}
      <PartnerSecrets refreshKey={refreshKey} />
      {(total !== 0 || !isAll) && (
        <div class="row">
          <SearchField label="Search partners" value={text} onInput={setText} />
          <Button onPress={() => setFailed(!isFailed)}>
            {isFailed ? 'Show all partners' : 'Show failing clients'}
          </Button>
        </div>
      )}
      {error !== undefined && total === undefined && <ErrorState message={error} />}
      {total === 0 &&
        (isAll ? (
          !isInviting && (
            <EmptyState icon={Users} title="No partners yet" action={invite}>
              Whoever you invite gets a world of their own, and a link that opens it.
            </EmptyState>
          )
        ) : (
          <EmptyState
            icon={Users}
            title={search === '' ? 'No failing clients' : 'No partner found'}
          >
            {search === ''
              ? 'Each client that has called gets answers, and passes its review.'
              : 'Search for another part of its name.'}
          </EmptyState>
        ))}
      {(total !== 0 || chosen !== undefined) && (
        <div class={`fill split partners ${chosen === undefined ? '' : 'with-detail'}`} ref={list}>
          <VirtualTable
            label="Partners"
            columns={COLUMNS}
            count={total ?? 6}
            rowHeight={56}
            rowAt={rowAt}
            keyOf={({ id }) => id}
            selected={chosen}
            onSelect={({ id }) => {
              // The card reads the partner anew. The table does too, so that both show the same.
              outdate()
              navigate({ partner: id === chosen ? undefined : id })
            }}
            onView={view}
          />
          {chosen !== undefined && <PartnerCard key={chosen} id={chosen} refreshKey={refreshKey} />}
        </div>
      )}
      {limits && <LimitList limits={limits} />}
      <Section title="Last errors of this server" class="host-errors">
        <Unread of={errors} />
        {errors.value && <HostErrors errors={errors.value} />}
      </Section>
    </>
  )
}

const POLL_MS = 3000

/** Returns a refresh key that changes every `POLL_MS` while the page is visible, for data that changes without an event. */
function usePolling(): number {
  const [refreshKey, setKey] = useState(0)
  useEffect(() => {
    const poll = (): void => {
      const isSeen = document.visibilityState === 'visible' && connection.peek() === 'open'
      if (isSeen) setKey((before) => before + 1)
    }
    const timer = setInterval(poll, POLL_MS)
    document.addEventListener('visibilitychange', poll)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', poll)
    }
  }, [])
  return refreshKey
}

const DEMO = 'demo'

function InviteForm({ onInvited }: { onInvited: () => void }) {
  const field = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => field.current?.focus(), [])
  const [names, setNames] = useState('')
  const [world, setWorld] = useState(DEMO)
  const [locale, setLocale] = useState<string>()
  const demo = useResource(() => writeDemo({}), [])
  const [term, setTerm] = useState(USUAL_TERM)
  const [isWhole, setWhole] = useState(false)
  const wanted = names
    .split('\n')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const { length: count } = wanted
  const { value: scenarios = [] } = useGet('/scenarios')
  const invite = async (): Promise<void> => {
    if (field.current?.reportValidity() === false) return
    const invited: PartnerSecret[] = []
    try {
      const source =
        world === DEMO
          ? { demo: true, locale: locale ?? demoLocale(demo.value ?? (await writeDemo({}))) }
          : { ...(world !== '' && { scenario: world }) }
      for (const name of wanted) {
        const body = { name, expires: `P${term}D`, ...source }
        const { id, text } = await api.receive<Invitation>('POST', '/partners', { body })
        invited.push({ id, name, kind: 'text', text })
      }
      onInvited()
    } finally {
      // After an error, the names not yet invited stay in the form.
      setNames(wanted.slice(invited.length).join('\n'))
      showSecrets(...invited)
      outdate()
    }
  }
  return (
    <Section class="invite beside" title="Invite a partner">
      <form class="stack form">
        <label>
          Name, or several, each on a line
          <textarea
            class="field"
            name="name"
            required
            rows={Math.min(12, names.split('\n').length)}
            ref={field}
            value={names}
            onInput={({ currentTarget }) => setNames(currentTarget.value)}
          />
          <FieldError name="name" />
        </label>
        <div class="columns pair">
          <label>
            For how long
            <Select label="For how long" value={term} options={TERMS} onSelect={setTerm} />
          </label>
          {isWhole && (
            <label>
              Their world
              <Select
                label="Their world"
                value={world}
                options={[
                  [DEMO, 'The demo: an agency with 40 projects'],
                  ['', 'As the default world begins'],
                  ...scenarios
                    .filter(({ name }) => name !== DEMO)
                    .map(({ name }) => [name, `Scenario ${name}`] as const),
                ]}
                onSelect={setWorld}
              />
            </label>
          )}
          {isWhole && world === DEMO && demo.value && (
            <label>
              Country of the demo
              <Select
                label="Country of the demo"
                value={locale ?? demoLocale(demo.value)}
                options={localeChoices(demo.value)}
                onSelect={setLocale}
              />
            </label>
          )}
        </div>
        <p class="soft">
          Until {lastDay(term)}.{' '}
          {!isWhole && 'Their world begins as the demo, an agency with 40 projects. '}
          The page greets them by this name. You get a text to send.
        </p>
        <div class="row">
          <Button variant="primary" onPress={invite}>
            {count > 1 ? `Invite ${count} partners` : 'Invite the partner'}
          </Button>
          {!isWhole && <Button onPress={() => setWhole(true)}>Choose their world</Button>}
        </div>
      </form>
    </Section>
  )
}
