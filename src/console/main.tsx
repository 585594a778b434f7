// These styles precede the styles of the panels, which may override them.
import './styles/tokens.css'
import './styles/base.css'
import './styles/frame.css'
import './styles/parts.css'
import { LocationProvider, useLocation } from 'preact-iso/router'
import { useLayoutEffect } from 'preact/hooks'
import { CodePanel } from './frame/code-panel.tsx'
import { Header } from './frame/header.tsx'
import { InvitationPage, KeyDialog } from './frame/key-dialog.tsx'
import { FrameDialog, Navigation, PanelView } from './frame/navigation.tsx'
import { NoticeBar, QuestionDialog } from './frame/notice-bar.tsx'
import { WorldBanner } from './frame/world-bar.tsx'
import { useAgency } from './state/agency.ts'
import { followRouter } from './state/location.ts'
import { render } from 'preact'
import { invitation } from './api/key.ts'
import { transport, sleep } from './api/transport.ts'
import { loadAhead } from './panels/panels.tsx'
import { startSession } from './state/follow-world.ts'
import { applyTheme } from './state/page.ts'

/** Links that the router handles. All other links on this server lead to separate documents. */
const PAGE_LINKS = new RegExp(
  `^(?:${location.pathname.replaceAll(/\W/g, String.raw`\$&`)})?(?:\\?|$)`,
)

function App() {
  return (
    <LocationProvider scope={PAGE_LINKS}>
      {invitation.value === undefined ? <Frame /> : <InvitationPage />}
    </LocationProvider>
  )
}

function Frame() {
  const { url, route } = useLocation()
  useLayoutEffect(() => followRouter(route), [url, route])
  useAgency()
  return (
    <div class="app">
      <a class="skip" href="#panel">
        Skip to the panel
      </a>
      <Header />
      <Navigation />
      <main id="panel" tabIndex={-1}>
        <WorldBanner />
        <PanelView />
      </main>
      <NoticeBar />
      <CodePanel />
      <KeyDialog />
      <FrameDialog />
      <QuestionDialog />
    </div>
  )
}

/** URL of the worker script that runs the sandbox on a static site; undefined on a server. */
const worker = document.querySelector<HTMLMetaElement>('meta[name="seo-sandbox-worker"]')?.content
applyTheme()
if (worker === undefined) {
  begin()
} else {
  void import('./tab/open-tab.ts').then(({ openTab }) => openTab(worker)).then(begin)
}

function begin(): void {
  render(<App />, document.body)
  void (worker === undefined ? loadAhead() : afterStart().then(loadAhead))
  startSession()
}

/** Waits until loading the other panels no longer delays the start of the sandbox or the first panel. */
async function afterStart(): Promise<void> {
  await transport().fetch('/_sandbox/health')
  // In this time, the first panel usually reads its data.
  await sleep(1000)
}
