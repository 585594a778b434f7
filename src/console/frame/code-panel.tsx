import { transport } from '../api/transport.ts'
import { signal } from '@preact/signals'
import { Code as CodeIcon, Undo2, X } from 'lucide'
import { countGrouped } from '../../wording/count.ts'
import { fitOnLine, uncapitalize } from '../../wording/fit-on-line.ts'
import { currentKey, keyWorld } from '../api/key.ts'
import { api } from '../api/client.ts'
import { testCodeOf, LANGUAGE_TITLES } from '../code/code-of.ts'
import type { CodeLanguage } from '../code/code-of.ts'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { StateWord } from '../parts/marked-text.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { actionsHere, forgetActions, currentWorld } from '../state/current-world.ts'
import type { RecordedAction } from '../code/test-steps.ts'
import { journal } from '../state/shown-journal.ts'
import { useKeys } from '../state/page.ts'
import type { KeyBinding } from '../state/page.ts'
import { mayUndo } from '../state/replace-world.ts'

type RecordedCommand = Extract<RecordedAction, { kind: 'command' }>

const isOpen = signal(false)
const language = signal<CodeLanguage>('typescript')

/** The last undo, and the last step that it left, after which it is shown. */
const undone = signal<{ left: RecordedAction | undefined; sentence: string } | null>(null)

function toggle(): void {
  isOpen.value = !isOpen.value
}

export function showCode(): void {
  isOpen.value = true
}

/** False with a partner's key, because a test creates a world, which needs either the package or the admin key. */
export function mayWriteTests(): boolean {
  return keyWorld.value === undefined
}

const NO_KEYS: readonly KeyBinding[] = []
const KEYS = [{ keys: 'c', does: 'Show what you did as code', press: toggle }]

/** Panel at the foot of the page: the last action, with its undo, and on request all actions in the current world as a test. */
export function CodePanel() {
  const writesTests = mayWriteTests()
  useKeys(writesTests ? KEYS : NO_KEYS)
  const { value: actions } = actionsHere
  const count = actions.length
  const last = actions.at(-1)
  const said = undone.value?.left === last ? undone.value : last
  const change = actions.findLast(
    (action): action is RecordedCommand => action.kind === 'command' && action.isFinal !== true,
  )
  const undo = change?.undo
  const showsCode = writesTests && isOpen.value
  if (count === 0 && !showsCode) return null
  return (
    <aside class="did" aria-label="What you did, as code">
      {count > 0 && (
        <div class="row">
          <span class="last" aria-live="polite">
            <StateWord state="completed">{said?.sentence}</StateWord>
            {count > 1 && <small class="soft"> {countGrouped(count, 'step')} so far</small>}
          </span>
          {change && undo && (
            <Button
              icon={Undo2}
              class="undo"
              title={`Takes back: ${change.sentence}`}
              onPress={async () => {
                if (!(await mayUndo(change.command))) return
                await api.undo(change, undo)
                const sentence = `Undid: ${uncapitalize(change.sentence)}`
                undone.value = { left: actionsHere.peek().at(-1), sentence }
              }}
            >
              {undoLabel(change, change === said)}
            </Button>
          )}
          {writesTests && (
            <Button icon={CodeIcon} class="test" pressed={isOpen.value} onPress={toggle}>
              As a test
            </Button>
          )}
        </div>
      )}
      {showsCode && <TestCode actions={actions} />}
    </aside>
  )
}

/** Names the change, unless the change is the last step, whose sentence is already beside the button. */
function undoLabel({ sentence }: RecordedCommand, isLast: boolean): string {
  return isLast ? 'Undo' : `Undo: ${uncapitalize(fitOnLine(sentence, 120))}`
}

/** Returns the maximum number of journal requests that the actions account for. Any further requests are a client's. */
function maximumRequests(actions: readonly RecordedAction[]): number {
  return actions.reduce(
    (sum, action) => sum + (action.kind === 'request' ? (action.times ?? 1) : 0),
    0,
  )
}

function TestCode({ actions }: { actions: readonly RecordedAction[] }) {
  const code = testCodeOf(language.value, actions, {
    origin: transport().base,
    world: currentWorld.value,
    needsKey: currentKey() !== undefined,
    hasClient: journal.peek().requests > maximumRequests(actions),
  })
  return (
    <div id="code">
      <div class="row">
        {/* Tests in Python and curl need a server. */}
        {transport().isShared && (
          <Tabs
            label="Language"
            titles={LANGUAGE_TITLES}
            selected={language.value}
            onSelect={(name) => (language.value = name)}
            controls="code-text"
          />
        )}
        <span class="last" />
        {code !== '' && (
          <>
            <CopyButton text={code} name="the test" title="Copy" />
            <Button variant="quiet" onPress={forgetActions}>
              Clear
            </Button>
          </>
        )}
        <Button variant="quiet" icon={X} label="Close the code" onPress={toggle} />
      </div>
      <pre id="code-text" role="tabpanel" aria-label={LANGUAGE_TITLES[language.value]} tabIndex={0}>
        {code || 'Move the clock, change a report or send a request, and it is written here.'}
      </pre>
    </div>
  )
}
