import { LocationProvider, useLocation } from 'preact-iso/router'
import { useLayoutEffect } from 'preact/hooks'
import { CodePanel } from './frame/code-panel.tsx'
import { Header } from './frame/header.tsx'
import { KeyDialog } from './frame/key-dialog.tsx'
import { KeysDialog } from './frame/keys-dialog.tsx'
import { Navigation } from './frame/navigation.tsx'
import { NoticeBar } from './frame/notice-bar.tsx'
import { PanelView } from './frame/panel-view.tsx'
import { QuestionDialog } from './frame/question-dialog.tsx'
import { followRouter } from './state/location.ts'

/** Addresses of the page itself. Everything else on this server is a document of its own. */
const OWN_ADDRESSES = new RegExp(
  `^(?:${location.pathname.replaceAll(/\W/g, String.raw`\$&`)})?(?:\\?|$)`,
)

export function App() {
  return (
    <LocationProvider scope={OWN_ADDRESSES}>
      <Frame />
    </LocationProvider>
  )
}

function Frame() {
  const { url, route } = useLocation()
  useLayoutEffect(() => followRouter(route), [url, route])
  return (
    <div class="app">
      <a class="skip" href="#panel">
        Skip to the panel
      </a>
      <Header />
      <Navigation />
      <main id="panel" tabIndex={-1}>
        <PanelView />
      </main>
      <NoticeBar />
      <CodePanel />
      <KeyDialog />
      <KeysDialog />
      <QuestionDialog />
    </div>
  )
}
