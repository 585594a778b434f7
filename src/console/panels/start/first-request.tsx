import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { REQUEST_LANGUAGES, REQUEST_TITLES, requestCode } from '../../code/request-code.ts'
import type { RequestLanguage } from '../../code/request-code.ts'
import { Answer } from '../../parts/answer.tsx'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { TokenSelect } from '../../parts/token-select.tsx'
import { useResource } from '../../state/resource.ts'
import { sendRequest } from '../../state/sent-request.ts'
import type { SentRequest } from '../../state/sent-request.ts'
import { isUsable, listTokens } from '../../state/tokens.ts'
import { useState } from 'preact/hooks'

const PATH = '/api/v1/projects?per_page=2'

const language = signal<RequestLanguage>('curl')

/** A request in four languages, which is also sent from here. */
export function FirstRequest(): JSX.Element {
  const { value: tokens = [] } = useResource(listTokens, [])
  const [chosen, choose] = useState<number | null>()
  const [sent, setSent] = useState<SentRequest>()
  const usual = tokens.find(isUsable) ?? tokens[0]
  const token = chosen === undefined ? usual : tokens.find(({ id }) => id === chosen)
  const request = { path: PATH, ...(token && { token: token.token }) }
  const code = requestCode(language.value, request, location.origin)
  return (
    <Card
      title="A first request"
      aside={
        <Tabs
          label="Language"
          names={REQUEST_LANGUAGES}
          titles={REQUEST_TITLES}
          selected={language.value}
          onSelect={(name) => (language.value = name)}
          controls="first-request"
        />
      }
    >
      <pre
        id="first-request"
        class="snippet"
        role="tabpanel"
        aria-label={REQUEST_TITLES[language.value]}
        tabIndex={0}
      >
        {code}
      </pre>
      <div class="row">
        <Button
          variant="primary"
          onPress={async () => setSent(await sendRequest(request, 'Asked for the first projects'))}
        >
          Run
        </Button>
        <TokenSelect tokens={tokens} selected={token?.id ?? null} onSelect={choose} />
        <CopyButton text={code} what="the request" />
      </div>
      {sent ? (
        <Answer sent={sent} />
      ) : (
        <p class="note soft">
          Run it here, and see the response with its headers and what the specification leaves open
          about it.
        </p>
      )}
    </Card>
  )
}
