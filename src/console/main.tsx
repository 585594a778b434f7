// Before the panels, whose own styles may differ from these.
import './styles/tokens.css'
import './styles/base.css'
import './styles/frame.css'
import './styles/parts.css'
import { render } from 'preact'
import { openLink } from './api/key.ts'
import { transport } from './api/transport.ts'
import { App } from './app.tsx'
import { loadAhead } from './panels/later.tsx'
import { pause } from './state/connection.ts'
import { startSession } from './state/session.ts'
import { applyTheme } from './state/theme.ts'

/** How long the first panel of a static site takes to read the world, roughly. */
const SETTLING_MS = 1000

/** The sandbox of a static site, which its page names. */
const worker = document.querySelector<HTMLMetaElement>('meta[name="seo-sandbox-worker"]')?.content
applyTheme()
if (worker === undefined) {
  begin()
} else {
  void import('./tab/open-tab.ts').then(({ openTab }) => openTab(worker)).then(begin)
}

function begin(): void {
  render(<App />, document.body)
  // Requests wait until a link is exchanged.
  openLink(worker === undefined ? loadAhead() : afterStart().then(loadAhead))
  startSession()
}

/** Waits until the sandbox in the page has started and its first panel has been read, which other panels must not delay. */
async function afterStart(): Promise<void> {
  await transport().fetch('/_sandbox/health')
  await pause(SETTLING_MS)
}
