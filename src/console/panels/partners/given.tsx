import { signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { api } from '../../api/client.ts'
import type { SentLink } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'

/** What a partner is given, which is shown once: a text to send, or a key. */
interface Given {
  id: string
  name: string
  what: 'text' | 'key'
  text: string
}

/** What was given last, the newest first. */
const given = signal<readonly Given[]>([])

/** Shows something, in place of what the same partner was given of that kind before. */
export function give(one: Given): void {
  const others = given.peek().filter(({ id, what }) => id !== one.id || what !== one.what)
  given.value = [one, ...others]
}

export function forgetGiven(): void {
  given.value = []
}

export function AllGiven() {
  const { value } = given
  return (
    <>
      {value.length > 1 && (
        <div class="toolbar">
          <CopyButton
            text={value.map(({ text }) => text).join('\n\n')}
            what="all of them"
            title={`Copy all of them, ${value.length}`}
          />
        </div>
      )}
      {value.map((one) => (
        <Shown key={one.text} {...one} />
      ))}
    </>
  )
}

function Shown({ name, what, text }: Given) {
  const top = useRef<HTMLDivElement>(null)
  // The button may be far below.
  useLayoutEffect(() => top.current?.scrollIntoView({ block: 'nearest' }), [])
  return (
    <div ref={top}>
      <Card
        class="given-once"
        title={
          <>
            {what === 'text' ? 'Send this to' : 'A new key for'} <bdi>{name}</bdi>
          </>
        }
        aside={<CopyButton text={text} what={`the ${what}`} title={`Copy the ${what}`} />}
      >
        <pre>{text}</pre>
        <div class="row">
          <Button
            onPress={() => (given.value = given.peek().filter((one) => one.text !== text))}
            label={`Close what is for ${name}`}
          >
            Close
          </Button>
          <span class="soft">It is not shown again.</span>
        </div>
      </Card>
    </div>
  )
}

/** Another link in place of the last one. */
export async function giveLink({ id, name }: { id: string; name: string }): Promise<void> {
  const response = await api.send('POST', `/partners/${id}/link`)
  const { text } = (await response.json()) as SentLink
  give({ id, name, what: 'text', text })
}
