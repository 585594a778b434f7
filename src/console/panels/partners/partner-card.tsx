import { Trash2, X } from 'lucide'
import { useState } from 'preact/hooks'
import { countGrouped } from '../../../wording/count.ts'
import { toDay, toDistance, toMinute, DAY_MS } from '../../../wording/times.ts'
import { api } from '../../api/client.ts'
import { outdate } from '../../api/transport.ts'
import type { HostError, Partner, PartnerKey } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Section } from '../../parts/section.tsx'
import { Select } from '../../parts/form-fields.tsx'
import { withCode, StateWord } from '../../parts/marked-text.tsx'
import { Unread } from '../../parts/placeholders.tsx'
import { toLabel } from '../../parts/value-words.ts'
import { pickWorld } from '../../state/current-world.ts'
import { worldName } from '../../state/world-choice.ts'
import { navigate } from '../../state/location.ts'
import { showNotice, ask } from '../../state/notices.ts'
import { useResource } from '../../state/resource.ts'
import { forgetSecrets, showSecrets, showNewLink } from './partner-secrets.tsx'

interface Read {
  partner: Partner
  keys: readonly PartnerKey[]
}

export function PartnerCard({ id, refreshKey }: { id: string; refreshKey: number }) {
  const read = useResource(
    async (signal): Promise<Read> => {
      const [partner, keys] = await Promise.all([
        api.receive<Partner>('GET', `/partners/${id}`, { signal }),
        api.receive<PartnerKey[]>('GET', `/partners/${id}/keys`, { signal }),
      ])
      return { partner, keys }
    },
    [id],
    refreshKey,
  )
  return (
    <Section
      class="partner beside detail"
      title={<bdi class="lead">{read.value?.partner.name}</bdi>}
      aside={
        <Button
          variant="quiet"
          icon={X}
          label="Close the partner"
          onPress={() => navigate({ partner: undefined })}
        />
      }
    >
      {read.value ? <PartnerDetails {...read.value} /> : <Unread of={read} />}
    </Section>
  )
}

function PartnerDetails({ partner, keys }: Read) {
  const { world, damaged } = partner
  return (
    <div class="stack">
      <div>
        <Button onPress={() => pickWorld(world, { panel: undefined })}>Show their world</Button>
      </div>
      {damaged !== undefined && (
        <p role="alert">
          <StateWord state="failed">
            This world is damaged ({damaged}): restore the store from a backup, or revoke the
            partner.
          </StateWord>
        </p>
      )}
      <ReviewLine {...partner} />
      <Facts {...partner} />
      <Term {...partner} />
      <Keys partner={partner} keys={keys} />
    </div>
  )
}

function ReviewLine(partner: Partner) {
  const { review } = partner
  return (
    <div>
      <PartnerStanding {...partner} />
      {review?.worst && (
        <p>
          {withCode(review.worst.message)} <b>Instead:</b> {withCode(review.worst.instead)}
        </p>
      )}
      {review && (
        <p class="small soft">
          {`${review.delivered} of ${countGrouped(review.finished, 'finished report')} delivered, as of ${toMinute(review.at)}. After a reset of their world, the next request begins the review anew.`}
        </p>
      )}
    </div>
  )
}

function Facts(partner: Partner) {
  const { world, claimed, requests, created_at: createdAt, last_used_at: usedAt } = partner
  const facts = [
    ['World', <code>{world}</code>],
    ['Invited', toMinute(createdAt)],
    ['Link', claimed ? 'used' : 'not used yet'],
    ['Requests', requests.toLocaleString('en')],
    ['Last request or change', toMinute(usedAt)],
    ['Stored', storedSize(partner)],
  ] as const
  return (
    <dl class="columns pair partner-facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt class="small">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Term({ id, name, expires_at: expiresAt, gone_at: goneAt }: Partner) {
  const [term, setTerm] = useState(USUAL_TERM)
  const isOver = Date.parse(expiresAt) < Date.now()
  const daysLess = Math.round((Date.parse(expiresAt) - Date.now()) / DAY_MS) - Number(term)
  const renew = async (): Promise<void> => {
    const question = {
      title: `Shorten the term of ${name}?`,
      text: `From ${lastDay(term)} on, the world of ${name} refuses its tokens and keys, until you renew it.`,
      button: `Shorten it to ${lastDay(term)}`,
      keep: 'Keep the term',
    }
    if (daysLess > 0 && !(await ask(question))) return
    await api.send('PATCH', `/partners/${id}`, { body: { expires: `P${term}D` } })
    showNotice(`The world of ${name} is theirs until ${lastDay(term)}.`)
    outdate()
  }
  const revoke = async (): Promise<void> => {
    const question = {
      title: `Revoke ${name}?`,
      text: 'Their world is gone at once, with its tokens, keys and link, and cannot be brought back.',
      button: 'Revoke the partner',
      keep: 'Keep the partner',
    }
    if (!(await ask(question))) return
    await api.send('DELETE', `/partners/${id}`)
    showNotice(`${name} is revoked.`)
    forgetSecrets(id)
    navigate({ partner: undefined })
    outdate()
  }
  return (
    <div>
      <h3>Term</h3>
      <p>
        <b>{expiryWords(expiresAt)}</b>.{' '}
        <span class="soft">{`${isOver ? 'It is' : 'Then it is'} kept until ${toDay(goneAt)}, to be renewed.`}</span>
      </p>
      <div class="row">
        <label class="row soft">
          For
          <Select label="Renew for" value={term} options={TERMS} onSelect={setTerm} />
          from today
        </label>
        <Button onPress={renew} disabled={lastDay(term) === toDay(expiresAt)}>
          {daysLess > 0
            ? `Shorten it to ${lastDay(term)}, ${countGrouped(daysLess, 'day')} earlier`
            : `Renew until ${lastDay(term)}`}
        </Button>
        {!isOver && (
          <Button onPress={() => showNewLink({ id, name })} title="The last link stops working">
            Make another link
          </Button>
        )}
      </div>
      <p>
        <Button icon={Trash2} onPress={revoke}>
          Revoke the partner
        </Button>
      </p>
    </div>
  )
}

function Keys({ partner, keys }: Pick<Read, 'partner' | 'keys'>) {
  const { id, name, claimed, created_at: invitedAt } = partner
  const create = async (): Promise<void> => {
    const made = await api.receive<{ id: string; key: string }>('POST', `/partners/${id}/keys`)
    showSecrets({ id, name, kind: 'key', keyId: made.id, text: made.key })
    outdate()
  }
  const revoke = async (key: string): Promise<void> => {
    const question = {
      title: `Revoke the key ${key} of ${name}?`,
      text: `Whoever uses it is locked out of the page and the control API at once. Other keys stay valid, and so do the tokens, which the page has shown: only another invitation gives other tokens.${claimed ? '' : ' The link was not used yet, and still opens the world: another link takes its place.'}`,
      button: 'Revoke the key',
      keep: 'Keep the key',
    }
    if (!(await ask(question))) return
    await api.send('DELETE', `/partners/${id}/keys/${key}`)
    outdate()
  }
  return (
    <div>
      <h3>Keys</h3>
      <p class="small soft">
        They open the page and the control API of the world. Clients send its tokens instead, which
        stay the same as long as the world is there.
      </p>
      <ul class="lines">
        {keys.map((key) => (
          <li key={key.id} class="row">
            <code>{key.id}</code>
            <span class="soft">
              {`made ${key.created_at === invitedAt ? 'with the invitation for scripts' : toMinute(key.created_at)}, `}
              {key.last_used_at === null ? 'never used' : `last used ${toMinute(key.last_used_at)}`}
            </span>
            <Button
              variant="quiet"
              label={`Revoke the key ${key.id}`}
              onPress={() => revoke(key.id)}
            >
              Revoke the key
            </Button>
          </li>
        ))}
      </ul>
      <Button onPress={create}>Make a new key</Button>
    </div>
  )
}

export function PartnerStanding({ review, requests, claimed }: Partner) {
  if (requests === 0)
    return <span class="soft">{claimed ? 'No request yet' : 'Link not opened yet'}</span>
  if (!review) return <span class="soft">Not reviewed yet</span>
  if (review.verdict === 'nothing-asked')
    return <span class="soft">No requests from a client yet</span>
  const { verdict, worst } = review
  if (worst?.severity === 'error')
    return <StateWord state="failed">{labelOfCheck(worst)}</StateWord>
  if (verdict === 'nothing-read') return <StateWord state="failed">No request got a 200</StateWord>
  if (worst) return <StateWord state="late">{labelOfCheck(worst)}</StateWord>
  return <StateWord state="completed">No mistakes found</StateWord>
}

function labelOfCheck({ check }: { check: string }): string {
  return toLabel(check.replaceAll('-', ' '))
}

export function HostErrors({ errors }: { errors: readonly HostError[] }) {
  if (errors.length === 0) return <p class="soft">None since the server was started.</p>
  return (
    <ul class="lines">
      {errors.map(({ at, world, message, times }) => (
        <li key={`${world} ${message}`}>
          {message}
          <small class="soft">
            {world !== null && <bdi>{`${worldName(world)}, `}</bdi>}
            {`${toMinute(at)}, ${countGrouped(times, 'time')}`}
          </small>
        </li>
      ))}
    </ul>
  )
}

export const TERMS = [7, 14, 30, 60, 90, 180, 365].map(
  (days) => [String(days), `${days} days`] as const,
)

export const USUAL_TERM = '30'

/** Formats the last day of a term that begins now. `term` is a number of days. */
export function lastDay(term: string): string {
  return toDay(Date.now() + Number(term) * DAY_MS)
}

/** Describes an expiry: `Until 29 Dec 2026, in 30 days`, or `Expired on 29 Dec 2026`. */
export function expiryWords(expiresAt: string): string {
  const leftMs = Date.parse(expiresAt) - Date.now()
  if (leftMs <= 0) return `Expired on ${toDay(expiresAt)}`
  const distance =
    leftMs < DAY_MS ? toDistance(leftMs) : countGrouped(Math.round(leftMs / DAY_MS), 'day')
  return `Until ${toDay(expiresAt)}, in ${distance}`
}

/** Formats a world's size in the store and its maximum: `1.2 of 64 MB`. */
export function storedSize({ bytes, maximum_bytes: most }: Partner): string {
  return `${toMegabytes(bytes)} of ${toMegabytes(most)} MB`
}

function toMegabytes(bytes: number): string {
  return (bytes / 1_000_000).toLocaleString('en', { maximumFractionDigits: 1 })
}

/** Unit of each limit, by its name in `--limits`. */
const LIMIT_UNITS: Readonly<Record<string, string>> = {
  projects: 'projects',
  records: 'records',
  text: 'characters of text',
  faults: 'faults',
  streams: 'pages and programs that follow its journal, on a server',
  journal: 'requests in its journal',
  requests: 'requests and changes a second',
  costly: 'PDFs, exports, snapshots, resets, loads and steps of the clock a minute',
  body: 'kB in the body of a request with its key',
  bytes: 'MB in the store',
}

export function LimitList({ limits }: { limits: Readonly<Record<string, number>> }) {
  return (
    <Section title="Limits of each world" class="world-limits">
      <ul class="columns">
        {Object.entries(LIMIT_UNITS).map(([name, unit]) => (
          <li key={name}>
            <b>{limitNumber(name, limits[name] ?? 0)}</b> {unit}
          </li>
        ))}
      </ul>
      <p class="small soft">
        The store keeps them. To change them, stop all of its servers,{' '}
        <code>DEL seo-sandbox:limits</code> in Redis, and start the servers with{' '}
        <code>--limits</code>.
      </p>
    </Section>
  )
}

function limitNumber(name: string, most: number): string {
  if (name === 'bytes') return toMegabytes(most)
  return (name === 'body' ? Math.round(most / 1024) : most).toLocaleString('en')
}
