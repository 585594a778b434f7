import { CopyButton, CopyText } from '../../parts/copy-button.tsx'
import { FirstRequest } from './first-request.tsx'
import { Showcase } from './showcase.tsx'
import { TokenList } from './token-list.tsx'
import { TourCard } from './tour-card.tsx'
import './start.css'

/** The page to begin with: where the API is, who may ask it, a request to send, and three tours. */
export function StartPanel() {
  const base = `${location.origin}/api/v1`
  return (
    <>
      <h1>Start</h1>
      <p class="sub">
        A world of SEO projects, keywords and reports that you control, behind the read-only API.
      </p>
      <p class="base-url card">
        <span>Base URL</span>
        <CopyText text={base} what="the base URL" />
        <CopyButton text={base} what="the base URL" />
      </p>
      <div class="two">
        <div class="stack">
          <FirstRequest />
          <TokenList />
        </div>
        <div class="stack">
          <TourCard />
          <Showcase />
        </div>
      </div>
    </>
  )
}
