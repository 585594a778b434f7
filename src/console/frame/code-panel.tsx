import { signal } from '@preact/signals'
import { keyHeaders } from '../api/admin-key.ts'
import { api } from '../api/client.ts'
import { codeOf, LANGUAGE_TITLES } from '../code/code-of.ts'
import type { CodeLanguage } from '../code/code-of.ts'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { acts, forgetActs } from '../state/acts.ts'
import type { Act } from '../state/acts.ts'
import { currentWorld } from '../state/current-world.ts'
import { typeOf } from '../state/journal.ts'
import { useKeys } from '../state/keyboard.ts'
import { mayPutBack } from '../state/put-back.ts'
import { useGet } from '../state/resource.ts'

const isOpen = signal(false)
const language = signal<CodeLanguage>('typescript')

function toggle(): void {
  isOpen.value = !isOpen.value
}

const KEYS = [{ keys: 'c', does: 'Show what you did as code', press: toggle }]

/** What was done in this page, as a test in three languages: a line at the foot of the page, which opens. */
export function CodePanel() {
  useKeys(KEYS)
  const showcase = useGet('/showcase')
  const count = acts.value.length
  const act = acts.value.at(-1)
  const last = act?.sentence ?? 'nothing yet'
  const canUndo = act?.kind === 'command' && (act.undo?.length ?? 0) > 0
  const code = (): string =>
    codeOf(language.value, acts.value, {
      origin: location.origin,
      world: currentWorld.value,
      isDemo: (showcase.value?.length ?? 0) > 0,
      needsKey: 'authorization' in keyHeaders(),
    })
  return (
    <aside class="code" aria-label="What you did, as code">
      <div class="line">
        <button
          type="button"
          class="button"
          aria-expanded={isOpen.value}
          aria-controls="code"
          onClick={toggle}
        >
          As a test
        </button>
        <span class="last soft" aria-live="polite">
          {count > 1 ? `${count} steps; last: ${last}` : last}
        </span>
        {act && canUndo && (
          <Button variant="quiet" onPress={() => undo(act)}>
            Undo
          </Button>
        )}
        {count > 0 && <CopyButton text={code} what="the test" />}
      </div>
      {isOpen.value && <Code code={count > 0 ? code() : undefined} />}
    </aside>
  )
}

/** Asks first where others have changed what is restored as a whole. */
async function undo(act: Act): Promise<void> {
  const isWhole = act.kind === 'command' && act.undo?.[0]?.type === 'snapshot.restore'
  if (!isWhole || (await mayPutBack([typeOf(act)]))) await api.undo(act)
}

function Code({ code }: { code: string | undefined }) {
  return (
    <div id="code" class="opened">
      <div class="line">
        <Tabs
          label="Language"
          titles={LANGUAGE_TITLES}
          selected={language.value}
          onSelect={(name) => (language.value = name)}
          controls="code-text"
        />
        {code !== undefined && (
          <Button variant="quiet" onPress={forgetActs}>
            Clear
          </Button>
        )}
      </div>
      <pre id="code-text" role="tabpanel" aria-label={LANGUAGE_TITLES[language.value]} tabIndex={0}>
        {code ?? 'Move the clock, change a report or send a request, and it is written here.'}
      </pre>
    </div>
  )
}
