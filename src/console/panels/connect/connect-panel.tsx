import { transport } from '../../api/transport.ts'
import { CopyButton, CopyText } from '../../parts/copy-button.tsx'
import { ClosedNote } from './closed-note.tsx'
import { FirstRequest } from './first-request.tsx'
import { TokenList } from './token-list.tsx'
import './connect.css'

/** What a developer begins with: where the API is, a request to send, and who may ask it. */
export function ConnectPanel() {
  const base = `${transport().base}/api/v1`
  return (
    <>
      <h1>Connect</h1>
      <p class="sub">Point your client at the base URL, and give it a token.</p>
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
