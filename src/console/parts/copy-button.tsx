import { Check, Copy } from 'lucide'
import { useEffect, useState } from 'preact/hooks'
import { transport } from '../api/transport.ts'
import type { ClientRequest } from '../api/types.ts'
import { REQUEST_TITLES, requestCode } from '../code/code-of.ts'
import type { RequestLanguage } from '../code/code-of.ts'
import { hrefWith } from '../state/location.ts'
import { showNotice } from '../state/notices.ts'
import { Icon } from './icon.tsx'
import { BreakingPath } from './marked-text.tsx'
import { Tabs } from './tabs.tsx'

const SHOWN_MS = 1500

interface CopyProps {
  text: string
  /** Name of the text for screen readers: `the token`. */
  name: string
  /** Label of the button; if omitted, the button has only an icon. */
  title?: string
}

export function CopyButton({ text, name, title }: CopyProps) {
  const [isCopied, copy] = useCopy()
  return (
    <button
      type="button"
      class={`button copy ${title === undefined ? 'quiet bare' : ''}`}
      aria-label={isCopied ? 'Copied' : `Copy ${name}`}
      title={title === undefined ? `Copy ${name}` : undefined}
      onClick={() => void copy(text)}
    >
      <Icon of={isCopied ? Check : Copy} />
      {isCopied && title !== undefined ? 'Copied' : title}
    </button>
  )
}

export function CopyText({ text, name }: { text: string; name: string }) {
  const [isCopied, copy] = useCopy()
  return (
    <button
      type="button"
      class="copy-text mono"
      aria-label={`Copy ${name} ${text}`}
      title="Copy"
      data-copied={isCopied}
      onClick={() => void copy(text)}
    >
      <bdi>
        <BreakingPath path={text} />
      </bdi>
    </button>
  )
}

function useCopy(): [isCopied: boolean, copy: (text: string) => Promise<void>] {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return undefined
    const timer = setTimeout(() => setCopied(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = async (text: string): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
    } catch {
      showNotice('This browser does not let the page copy. Select the text and copy it yourself.', {
        isError: true,
      })
    }
  }
  return [isCopied, copy]
}

/**
 * A request as code in four languages. For the sandbox of a static site, which only the page itself can reach, a link to the
 * reference replaces the code.
 */
export function CopyAs({ request, origin }: { request: ClientRequest; origin: string }) {
  const [language, setLanguage] = useState<RequestLanguage>('curl')
  const { isShared, base } = transport()
  if (!isShared && origin === base) {
    return (
      <p class="soft">
        Only this page reaches its sandbox: <a href={hrefWith({ panel: 'reference' })}>Reference</a>{' '}
        sends such a request with <b>Run</b>.
      </p>
    )
  }
  const code = requestCode(language, request, origin)
  return (
    <div>
      <Tabs
        label="Language of the request"
        titles={REQUEST_TITLES}
        selected={language}
        onSelect={setLanguage}
        controls="request-code"
      />
      <div class="readable">
        <CopyButton text={code} name={`the request as ${REQUEST_TITLES[language]}`} />
        <pre id="request-code" role="tabpanel" aria-label={REQUEST_TITLES[language]} tabIndex={0}>
          {code}
        </pre>
      </div>
    </div>
  )
}
