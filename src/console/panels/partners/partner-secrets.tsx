import { signal } from '@preact/signals'
import { X } from 'lucide'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { outdate } from '../../api/transport.ts'
import type { Partner, SentLink } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Section } from '../../parts/section.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ask, showNotice } from '../../state/notices.ts'
import { useResource } from '../../state/resource.ts'

/** An invitation text or a key for a partner. The operator cannot see it again after closing it. */
export interface PartnerSecret {
  id: string
  name: string
  kind: 'text' | 'key'
  /** Id of the key in the list of keys; omitted for an invitation text. */
  keyId?: string
  text: string
}

/** Secrets on the page, the latest first. */
const secrets = signal<readonly PartnerSecret[]>([])

/** Shows secrets, in place of earlier secrets of the same partner and kind. */
export function showSecrets(...added: readonly PartnerSecret[]): void {
  const isReplaced = ({ id, kind }: PartnerSecret) =>
    added.some((secret) => secret.id === id && secret.kind === kind)
  secrets.value = [...added, ...secrets.peek().filter((secret) => !isReplaced(secret))]
}

export function forgetSecrets(id: string): void {
  secrets.value = secrets.peek().filter((secret) => secret.id !== id)
}

function close(text: string): void {
  secrets.value = secrets.peek().filter((secret) => secret.text !== text)
}

async function closeAll(): Promise<void> {
  const isSure = await ask({
    title: 'Close all of them?',
    text: 'What you have not copied is lost: a partner then needs another link or another key.',
    button: 'Close all of them',
    keep: 'Keep them open',
  })
  if (isSure) secrets.value = []
}

export function PartnerSecrets({ refreshKey }: { refreshKey: number }) {
  const { value } = secrets
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
            name="all of them"
            title="Copy all of them"
          />
          <Button variant="quiet" onPress={closeAll}>
            Close all of them
          </Button>
        </div>
      )}
      {value.map((secret) => (
        <ShownSecret key={secret.text} {...secret} refreshKey={refreshKey} />
      ))}
    </div>
  )
}

function ShownSecret({ refreshKey, ...secret }: PartnerSecret & { refreshKey: number }) {
  const { id, name, kind, keyId, text } = secret
  const partner = useResource(
    (aborting) => api.receive<Partner>('GET', `/partners/${id}`, { signal: aborting }),
    [id],
    refreshKey,
  )
  const isUsed = kind === 'text' && partner.value?.claimed === true
  useEffect(() => {
    if (!isUsed) return
    close(text)
    showNotice(`${name} has used the link.`)
  }, [isUsed])
  return (
    <Section
      class="partner-secret beside"
      title={
        <>
          {kind === 'text' ? 'Send this to' : `The new key ${keyId} of`} <bdi>{name}</bdi>
        </>
      }
      aside={
        <span class="row">
          <CopyButton text={text} name={`the ${kind} for ${name}`} title={`Copy the ${kind}`} />
          {kind === 'text' && (
            <Button
              variant="quiet"
              onPress={() => showNewLink({ id, name })}
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
      <p class="small soft">Once closed, it is not shown again.</p>
    </Section>
  )
}

/** Creates a link for a partner and shows it. The partner's previous link stops working. */
export async function showNewLink({ id, name }: { id: string; name: string }): Promise<void> {
  const { text } = await api.receive<SentLink>('POST', `/partners/${id}/link`)
  showSecrets({ id, name, kind: 'text', text })
  outdate()
}
