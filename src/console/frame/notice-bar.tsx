import { useLayoutEffect } from 'preact/hooks'
import { connection } from '../api/transport.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { notice, question } from '../state/notices.ts'

const LOST = {
  text: 'The server does not respond. The page goes on when it does.',
  isError: true,
  field: undefined,
}

/** Reports a lost connection, or else shows the current notice unless a form field shows the notice. */
export function NoticeBar() {
  const isLost = connection.value === 'lost'
  const { text, isError, field } = isLost ? LOST : (notice.value ?? {})
  // Keeps the pressed button in view, because the bar reduces the height of the panel.
  useLayoutEffect(() => {
    if (notice.value) document.activeElement?.scrollIntoView({ block: 'nearest' })
  }, [notice.value])
  return (
    <div class="notices" role="status">
      {text !== undefined && !field && (
        <p class="row notice">
          <span class={isError ? 'state failed' : undefined}>{text}</span>
          {!isLost && (
            <Button variant="quiet" onPress={() => (notice.value = null)}>
              Close
            </Button>
          )}
        </p>
      )}
    </div>
  )
}

export function QuestionDialog() {
  const { value } = question
  if (!value) return null
  const { title, text, button, keep = 'Keep this world', answer } = value
  return (
    <Dialog
      title={title}
      onClose={() => answer(false)}
      close={keep}
      actions={
        <Button variant="primary" onPress={() => answer(true)}>
          {button}
        </Button>
      }
    >
      <p>{text}</p>
    </Dialog>
  )
}
