import { signal } from '@preact/signals'
import { X } from 'lucide'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { outdate } from '../../api/transport.ts'
import type { Partner, SentLink } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Section } from '../../parts/section.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { showNotice } from '../../state/notices.ts'
import { useResource } from '../../state/resource.ts'

/** A secret for a partner, shown once: a text to send, or a key. */
export interface Given {
  id: string
  name: string
  what: 'text' | 'key'
  text: string
}

/** Secrets that the operator has not closed yet, the latest first. */
const given = signal<readonly Given[]>([])

/** Shows secrets, in place of earlier secrets of the same partner and kind. */
export function give(...some: readonly Given[]): void {
  const isReplaced = ({ id, what }: Given) => some.some((one) => one.id === id && one.what === what)
  given.value = [...some, ...given.peek().filter((one) => !isReplaced(one))]
}

export function forgetGiven(id: string): void {
  given.value = given.peek().filter((one) => one.id !== id)
}

function close(text: string): void {
  given.value = given.peek().filter((one) => one.text !== text)
}

export function AllGiven({ turn }: { turn: number }) {
  const { value } = given
  const top = useRef<HTMLDivElement>(null)
  const [latest] = value
  // Scrolls up to the latest secret, because the pressed button may be far below.
  useLayoutEffect(() => top.current?.scrollIntoView({ block: 'nearest' }), [latest])
  return (
    <div ref={top} class="stack">
      {value.length > 1 && (
        <div class="row">
          <CopyButton
            text={value.map(({ text }) => text).join('\n\n')}
            what="all of them"
            title="Copy all of them"
          />
          <Button variant="quiet" onPress={() => (given.value = [])}>
            Close all of them
          </Button>
        </div>
      )}
      {value.map((one) => (
        <Shown key={one.text} {...one} turn={turn} />
      ))}
    </div>
  )
}

function Shown({ id, name, what, text, turn }: Given & { turn: number }) {
  const partner = useResource(
    (aborting) => api.receive<Partner>('GET', `/partners/${id}`, { signal: aborting }),
    [id],
    turn,
  )
  const isUsed = what === 'text' && partner.value?.claimed === true
  useEffect(() => {
    if (!isUsed) return
    close(text)
    showNotice(`${name} has used the link.`)
  }, [isUsed])
  return (
    <Section
      class="given-once beside"
      title={
        <>
          {what === 'text' ? 'Send this to' : 'A new key for'} <bdi>{name}</bdi>
        </>
      }
      aside={
        <span class="row">
          <CopyButton text={text} what={`the ${what} for ${name}`} title={`Copy the ${what}`} />
          {what === 'text' && (
            <Button
              variant="quiet"
              onPress={() => giveLink({ id, name })}
              label={`Make another link for ${name}`}
            >
              Make another link
            </Button>
          )}
          <Button
            variant="quiet"
            icon={X}
            onPress={() => close(text)}
            label={`Close what is for ${name}`}
          />
        </span>
      }
    >
      <pre>{text}</pre>
      <p class="small soft">It is not shown again.</p>
    </Section>
  )
}

/** Creates and shows a new link for a partner, which replaces the partner's last link. */
export async function giveLink({ id, name }: { id: string; name: string }): Promise<void> {
  const { text } = await api.receive<SentLink>('POST', `/partners/${id}/link`)
  give({ id, name, what: 'text', text })
  outdate()
}
