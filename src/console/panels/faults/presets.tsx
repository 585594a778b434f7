import { api } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { sentenceOfFault } from '../../../wording/fault-words.ts'
import type { FaultInput } from '../../../wording/fault-words.ts'

/** What every client meets sooner or later, ready to be armed. */
const PRESETS: readonly (readonly [title: string, fault: FaultInput])[] = [
  ['Two 503s, then fine', { kind: 'status', status: 503, schedule: { first: 2 } }],
  ['A 429 that says when', { kind: 'status', status: 429, retry_after: 5, schedule: { first: 1 } }],
  ['Every third one fails', { kind: 'status', status: 500, schedule: { every: 3 } }],
  ['A proxy’s error page', { kind: 'html', status: 502, schedule: { first: 1 } }],
  ['The connection drops', { kind: 'reset', schedule: { first: 1 } }],
  ['Nobody answers', { kind: 'no-answer', schedule: { first: 1 } }],
  ['Slow at times', { kind: 'latency', ms: 3000, schedule: { share: 0.2 } }],
  ['Half an answer', { kind: 'truncated-body', schedule: { first: 1 } }],
]

/** Faults in words, each armed by one click. */
export function Presets() {
  return (
    <Card title="Arm a common one" class="presets">
      <div>
        {PRESETS.map(([title, fault]) => (
          <Button key={title} onPress={() => arm(title, fault)}>
            <b>{title}</b> <small class="soft">{sentenceOfFault(fault, [])}.</small>
          </Button>
        ))}
      </div>
    </Card>
  )
}

export async function arm(title: string, fault: FaultInput): Promise<void> {
  await api.command({ type: 'fault.add', fault }, `Armed a fault: ${title}`)
}
