import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { api } from '../../api/client.ts'
import type { Invitation } from '../../api/types.ts'
import { Card } from '../../parts/card.tsx'
import { Select } from '../../parts/select.tsx'
import { outdate } from '../../state/connection.ts'
import { notifyOf } from '../../state/notices.ts'
import { useGet } from '../../state/resource.ts'
import { give } from './given.tsx'
import type { Given } from './given.tsx'
import { endOf, TERMS, toDuration, USUAL_TERM } from './partner-words.ts'

const DEMO = 'demo'
const LOCALES = [
  ['en', 'English'],
  ['da', 'Danish'],
  ['de', 'German'],
  ['nl', 'Dutch'],
  ['sv', 'Swedish'],
] as const

/** Invites a partner, or several, and shows what to send to them. */
export function InviteForm({ onInvited }: { onInvited: () => void }) {
  const field = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => field.current?.focus(), [])
  const [names, setNames] = useState('')
  const [world, setWorld] = useState(DEMO)
  const [locale, setLocale] = useState('en')
  const [term, setTerm] = useState(USUAL_TERM)
  const [isBusy, setBusy] = useState(false)
  const { value: scenarios = [] } = useGet('/scenarios')
  const invite = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    const source =
      world === DEMO ? { demo: true, locale } : { ...(world !== '' && { scenario: world }) }
    const named = names.split('\n').map((name) => name.trim())
    const wanted = named.filter((name) => name !== '')
    const invited: Given[] = []
    try {
      for (const name of wanted) {
        const body = { name, expires: toDuration(term), ...source }
        const { id, text } = await api.receive<Invitation>('POST', '/partners', { body })
        invited.push({ id, name, what: 'text', text })
      }
      onInvited()
    } catch (error) {
      // Those that were not invited stay in the form, with the reason for the first of them.
      setNames(wanted.slice(invited.length).join('\n'))
      notifyOf(error)
    } finally {
      give(...invited)
      setBusy(false)
      outdate()
    }
  }
  return (
    <Card title="Invite a partner">
      <form class="form" onSubmit={invite}>
        <label>
          Name, or several, each on a line
          <textarea
            class="field"
            required
            rows={Math.min(12, names.split('\n').length)}
            ref={field}
            value={names}
            onInput={({ currentTarget }) => setNames(currentTarget.value)}
          />
        </label>
        <div class="pair">
          <label>
            Their world
            <Select
              label="Their world"
              value={world}
              options={[
                [DEMO, 'The demo: an agency with 40 projects'],
                ['', 'As the default world begins'],
                ...scenarios.map((one) => [one.name, `Scenario ${one.name}`] as const),
              ]}
              onSelect={setWorld}
            />
          </label>
          {world === DEMO && (
            <label>
              Language of the demo
              <Select
                label="Language of the demo"
                value={locale}
                options={LOCALES}
                onSelect={setLocale}
              />
            </label>
          )}
          <label>
            For how long
            <Select label="For how long" value={term} options={TERMS} onSelect={setTerm} />
          </label>
        </div>
        <div class="row">
          <button type="submit" class="button primary" aria-busy={isBusy}>
            Invite
          </button>
          <span class="soft">
            Until {endOf(term)}. The page greets them by this name. You get a text to send.
          </span>
        </div>
      </form>
    </Card>
  )
}
