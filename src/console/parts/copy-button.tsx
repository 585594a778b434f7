import { useEffect, useState } from 'preact/hooks'
import type { ClientRequest } from '../api/types.ts'
import { REQUEST_TITLES, requestCode } from '../code/code-of.ts'
import type { RequestLanguage } from '../code/code-of.ts'
import { showNotice } from '../state/notices.ts'
import { Tabs } from './tabs.tsx'

const SHOWN_MS = 1500

interface CopyProps {
  /** What is copied, or what makes it. */
  text: string | (() => string)
  /** What it is, for screen readers: `the token`. */
  what: string
  /** What the button says; `Copy` if omitted. */
  title?: string
}

/** Copies a text, and says so for a moment. */
export function CopyButton({ text, what, title = 'Copy' }: CopyProps) {
  const [isCopied, copy] = useCopy()
  return (
    <button
      type="button"
      class="button quiet copy"
      aria-label={isCopied ? undefined : `Copy ${what}`}
      onClick={() => void copy(typeof text === 'function' ? text() : text)}
    >
      {isCopied ? 'Copied' : title}
    </button>
  )
}

/** An identifier, a path or a header, which a click copies. */
export function CopyText({ text, what }: { text: string; what: string }) {
  const [isCopied, copy] = useCopy()
  return (
    <button
      type="button"
      class="copy-text mono"
      aria-label={`Copy ${what} ${text}`}
      title="Copy"
      data-copied={isCopied}
      onClick={() => void copy(text)}
    >
      <bdi>{text}</bdi>
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

/** A request in four languages. */
export function CopyAs({ request, origin }: { request: ClientRequest; origin: string }) {
  const [language, setLanguage] = useState<RequestLanguage>('curl')
  const code = requestCode(language, request, origin)
  return (
    <div class="copy-as">
      <Tabs
        label="Language of the request"
        titles={REQUEST_TITLES}
        selected={language}
        onSelect={setLanguage}
        controls="request-code"
      />
      <div class="readable">
        <CopyButton text={code} what={`the request as ${REQUEST_TITLES[language]}`} />
        <pre id="request-code" role="tabpanel" aria-label={REQUEST_TITLES[language]} tabIndex={0}>
          {code}
        </pre>
      </div>
    </div>
  )
}
