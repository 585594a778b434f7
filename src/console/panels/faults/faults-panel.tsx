import { Zap } from 'lucide'
import { Unread, EmptyState } from '../../parts/placeholders.tsx'
import { useGet, useResource } from '../../state/resource.ts'
import { listTokens } from '../../state/client-requests.ts'
import type { Token } from '../../state/client-requests.ts'
import { ArmForm, Presets } from './arm-form.tsx'
import './faults.css'
import { api } from '../../api/client.ts'
import type { FaultStatus } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Section } from '../../parts/section.tsx'
import { countsOfFault, delayIn, delaysAll, sentenceOfFault } from '../../../wording/fault-words.ts'
import { BreakingPath, StateWord } from '../../parts/marked-text.tsx'
import { useFaults } from '../../state/armed-faults.ts'

export function FaultsPanel() {
  const forms = useGet('/faults/kinds')
  const tokens = useResource(listTokens, [])
  return (
    <>
      <h1>Faults</h1>
      <p class="sub">
        A fault affects the requests that match it, until it is disarmed or the world is reset.
      </p>
      <Presets />
      <div class="columns two">
        <ArmedFaults tokens={tokens.value ?? []} />
        {forms.value && tokens.value ? (
          <ArmForm forms={forms.value} tokens={tokens.value} />
        ) : (
          <Unread of={forms.value ? tokens : forms} />
        )}
      </div>
    </>
  )
}

function ArmedFaults({ tokens }: { tokens: readonly Token[] }) {
  const armed = useFaults()
  const faults = armed.value?.filter((fault) => !delaysAll(fault))
  const isDone = faults?.length && faults.every(({ exhausted }) => exhausted)
  return (
    <Section
      title={isDone ? 'All done' : 'Armed'}
      class="armed"
      aside={
        faults &&
        faults.length > 0 && <Button onPress={disarmAll}>{isDone ? 'Clear' : 'Disarm all'}</Button>
      }
    >
      <Unread of={armed} lines={3} />
      {faults?.length === 0 && (
        <EmptyState icon={Zap} title="No faults are armed">
          Arm one, and see how your client copes.
        </EmptyState>
      )}
      <ul class="lines">
        {faults?.map((fault) => (
          <li key={fault.id}>
            <div>
              <b>
                <bdi>
                  <BreakingPath path={sentenceOfFault(fault, tokens)} />
                </bdi>
              </b>
              <small>
                <StateWord state={fault.exhausted ? 'completed' : 'running'}>
                  {fault.exhausted ? 'done' : 'armed'}
                </StateWord>
                <span class="soft">
                  {' '}
                  · {countsOfFault(fault)} · <code>fault {fault.id}</code>
                </span>
              </small>
            </div>
            <Button
              label={`${fault.exhausted ? 'Remove' : 'Disarm'} it, fault ${fault.id}`}
              onPress={() => disarm(fault, tokens)}
            >
              {fault.exhausted ? 'Remove' : 'Disarm'} it
            </Button>
          </li>
        ))}
      </ul>
      {armed.value?.map(
        (fault) =>
          fault.kind === 'latency' &&
          delaysAll(fault) && (
            <p key={fault.id} class="row">
              <span>
                Every response is delayed by {delayIn(fault)}, as with <code>--latency</code>.
              </span>
              <Button onPress={() => disarm(fault, tokens)}>Stop the delay</Button>
            </p>
          ),
      )}
    </Section>
  )
}

async function disarm(fault: FaultStatus, tokens: readonly Token[]): Promise<void> {
  const { id } = fault
  const sentence = delaysAll(fault)
    ? 'Stopped the delay of every response'
    : `Disarmed fault ${id}: ${sentenceOfFault(fault, tokens)}`
  await api.command({ type: 'fault.remove', id }, sentence)
}

async function disarmAll(): Promise<void> {
  const delays = (await api.get('/faults')).filter(delaysAll)
  const faults = delays.map(({ id: _id, matched: _m, fired: _f, exhausted: _e, ...fault }) => fault)
  await api.command({ type: 'fault.set', faults }, 'Disarmed all faults')
}
