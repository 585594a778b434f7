import { transport } from '../../api/transport.ts'
import { useState } from 'preact/hooks'
import { ResponseView } from '../../parts/response-view.tsx'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { CopyAs } from '../../parts/copy-as.tsx'
import { TokenSelect } from '../../parts/token-select.tsx'
import { useResource } from '../../state/resource.ts'
import { sendRequest } from '../../state/sent-request.ts'
import type { SentRequest } from '../../state/sent-request.ts'
import { isUsable, listTokens } from '../../state/tokens.ts'

const FIRST = { path: '/api/v1/projects', headers: { Accept: 'application/json' } }

/** A request in four languages, which is also sent from here. */
export function FirstRequest() {
  const { value: tokens = [] } = useResource(listTokens, [])
  const [chosen, choose] = useState<number | null>()
  const [sent, setSent] = useState<SentRequest>()
  const usual = tokens.find(isUsable) ?? tokens[0]
  const token = chosen === undefined ? usual : tokens.find(({ id }) => id === chosen)
  const request = { ...FIRST, ...(token && { token: token.token }) }
  return (
    <Card title="A first request">
      <div class="views">
        <CopyAs request={request} origin={transport().base} />
      </div>
      <div class="row">
        <Button
          variant="primary"
          onPress={async () => setSent(await sendRequest(request, 'Asked for the first projects'))}
        >
          Run
        </Button>
        <TokenSelect tokens={tokens} selected={token?.id ?? null} onSelect={choose} />
      </div>
      {sent ? (
        <ResponseView sent={sent} />
      ) : (
        <p class="note soft">
          Run it here, and see the response with its headers and what the specification leaves open
          about it.
        </p>
      )}
    </Card>
  )
}
