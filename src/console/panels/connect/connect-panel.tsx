import { CopyButton, CopyText } from '../../parts/copy-button.tsx'
import { currentWorld, DEFAULT_WORLD } from '../../state/current-world.ts'
import { hrefWith } from '../../state/location.ts'
import { useGet } from '../../state/resource.ts'
import { FirstRequest } from './first-request.tsx'
import { Names } from './names.tsx'
import { Showcase } from './showcase.tsx'
import { TokenList } from './token-list.tsx'
import { TourCard } from './tour-card.tsx'
import './start.css'

/** The page to begin with: where the API is, who may ask it, a request to send, and three tours. */
export function StartPanel() {
  const base = `${location.origin}/api/v1`
  const { default_world: standing } = useGet('/health').value ?? {}
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
      {standing === 'closed' && currentWorld.value === DEFAULT_WORLD && (
        <p class="note">
          The default world is closed: its built-in tokens get a 401. Invite{' '}
          <a href={hrefWith({ panel: 'partners' })}>partners</a>.
        </p>
      )}
      <div class="two">
        <div class="stack">
          <FirstRequest />
          <TokenList />
        </div>
        <div class="stack">
          <TourCard />
          <Showcase />
          <Names />
        </div>
      </div>
    </>
  )
}
