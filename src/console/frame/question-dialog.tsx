import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { question } from '../state/question.ts'

/** Asks before something is lost. */
export function QuestionDialog() {
  const { value } = question
  if (!value) return null
  const { title, text, act, keep = 'Keep this world', answer } = value
  return (
    <Dialog title={title} onClose={() => answer(false)}>
      <p>{text}</p>
      <div class="acts">
        <Button variant="primary" onPress={() => answer(true)}>
          {act}
        </Button>
        <Button onPress={() => answer(false)}>{keep}</Button>
      </div>
    </Dialog>
  )
}
