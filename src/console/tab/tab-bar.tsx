import { signal } from '@preact/signals'
import { RotateCcw, Share2 } from 'lucide'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { saveBlob } from '../parts/files.tsx'
import { ask } from '../state/notices.ts'
import type { OpenTab } from './thread.ts'

/** Content of the dialog: a link or the text of a session file; null while the dialog is closed. */
const shared = signal<{ link: string } | { file: string } | null>(null)

export function createTabBar(tab: OpenTab) {
  const share = async (): Promise<void> => {
    const made = await tab.thread.call('share', { screen: location.search.slice(1) })
    shared.value = 'link' in made ? { link: `${tab.base}/#${made.link}` } : made
  }
  const startAgain = async (): Promise<void> => {
    const isSure = await ask({
      title: 'Start this world again?',
      text: 'The world of this tab is lost, with all that was done in it.',
      button: 'Start this world again',
    })
    if (!isSure) return
    await tab.thread.call('forget', {})
    location.assign(location.pathname)
  }
  return function TabBar() {
    return (
      <div class="world-bar">
        <Button variant="quiet" icon={Share2} onPress={share}>
          Share this view
        </Button>
        <Button variant="quiet" icon={RotateCcw} onPress={startAgain}>
          Start it again
        </Button>
        <SharedDialog />
      </div>
    )
  }
}

const close = (): void => void (shared.value = null)

function SharedDialog() {
  const { value } = shared
  if (!value) return null
  const isLink = 'link' in value
  return (
    <Dialog
      title="Share this view"
      onClose={close}
      actions={
        isLink ? (
          <CopyButton text={value.link} name="the link" title="Copy link" />
        ) : (
          <Button
            variant="primary"
            onPress={() => saveBlob(new Blob([value.file]), 'sandbox.session.json')}
          >
            Save the session
          </Button>
        )
      }
    >
      <p>
        {isLink
          ? 'Whoever opens this link sees the same: everything that was done in this tab is done again in theirs. Tokens are not in it.'
          : 'Too much was done in this tab for a link. Send this session file instead: whoever drops it on this page sees the same. Tokens are not in it.'}
      </p>
      {isLink && <p class="mono">{value.link}</p>}
    </Dialog>
  )
}
