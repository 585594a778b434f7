import { connection } from '../api/transport.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { notice, question } from '../state/notices.ts'

/** Notice of a problem or an action. The bar overlays the code panel, so that showing or hiding a notice moves nothing. */
export function NoticeBar() {
  return (
    <div class="notices" role="status">
      {connection.value === 'lost' ? (
        <p class="row notice">
          <span class="state failed">The server does not respond.</span> The page goes on when it
          does.
        </p>
      ) : (
        notice.value && (
          <p class="row notice">
            <span class={notice.value.isError ? 'state failed' : undefined}>
              {notice.value.text}
            </span>
            <Button variant="quiet" onPress={() => (notice.value = null)}>
              Close
            </Button>
          </p>
        )
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
