import { transport } from '../../api/transport.ts'
import { CopyButton, CopyText } from '../../parts/copy-button.tsx'
import { ClosedNote } from './closed-note.tsx'
import { FirstRequest } from './first-request.tsx'
import { TokenList } from './token-list.tsx'
import './connect.css'

/** What a developer begins with: where the API is, a request to send, and who may ask it. */
export function ConnectPanel() {
  const { base: address, isShared } = transport()
  const base = `${address}/api/v1`
  return (
    <>
      <h1>Connect</h1>
      <p class="sub">
        {isShared
          ? 'Point your client at the base URL, and give it a token.'
          : 'This sandbox is in the tab: code in the console of the browser reaches it at the base URL, and nothing outside does. For a client of yours, run npx seo-sandbox.'}
      </p>
      <p class="base-url card">
        <span>Base URL</span>
        <CopyText text={base} what="the base URL" />
        <CopyButton text={base} what="the base URL" />
      </p>
      <ClosedNote />
      <div class="two">
        <FirstRequest />
        <TokenList />
      </div>
    </>
  )
}
