// Before the panels, whose own styles may differ from these.
import './styles/tokens.css'
import './styles/base.css'
import './styles/frame.css'
import './styles/parts.css'
import { render } from 'preact'
import { claimLink } from './api/admin-key.ts'
import { App } from './app.tsx'
import { loadAhead } from './panels/later.tsx'
import { notifyOf } from './state/notices.ts'
import { startSession } from './state/session.ts'
import { applyTheme } from './state/theme.ts'

applyTheme()
void claimLink()
  .catch(notifyOf)
  .then(() => {
    render(<App />, document.body)
    startSession()
    loadAhead()
  })
