import { useState } from 'preact/hooks'
import type { ClientRequest } from '../api/types.ts'
import { REQUEST_TITLES, requestCode } from '../code/request-code.ts'
import type { RequestLanguage } from '../code/request-code.ts'
import { CopyButton } from './copy-button.tsx'
import { Tabs } from './tabs.tsx'

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
