import { signal } from '@preact/signals'
import { api } from '../../api/client.ts'
import type { SentLink } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'

/** What a partner is given, which is shown once: a text to send, or a key. */
export const given = signal<{
  id: string
  name: string
  what: 'text' | 'key'
  text: string
} | null>(null)

export function Given() {
  const { value } = given
  if (!value) return null
  const { id, name, what, text } = value
  return (
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
        {what === 'text' && <Button onPress={() => giveLink({ id, name })}>Another link</Button>}
        <Button onPress={() => (given.value = null)}>Close</Button>
        <span class="soft">It is not shown again.</span>
      </div>
    </Card>
  )
}

/** Another link in place of the last one. */
export async function giveLink({ id, name }: { id: string; name: string }): Promise<void> {
  const response = await api.send('POST', `/partners/${id}/link`)
  const { text } = (await response.json()) as SentLink
  given.value = { id, name, what: 'text', text }
}
