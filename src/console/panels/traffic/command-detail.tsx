import type { ComponentChildren } from 'preact'
import type { AppliedCommand } from '../../api/types.ts'
import { toSecond } from '../../../wording/times.ts'
import { Readable } from '../../parts/readable.tsx'

/** A command of anybody, and the clocks after it. */
export function CommandDetail({
  applied: { command, clock },
  close,
}: {
  applied: AppliedCommand
  close: ComponentChildren
}) {
  return (
    <section class="card detail" aria-label="Command">
      <header>
        <h2>Command</h2>
        {close}
      </header>
      <dl class="facts">
        <div>
          <dt>World clock after it</dt>
          <dd>{Number.isNaN(Date.parse(clock.now)) ? 'unknown' : toSecond(clock.now)}</dd>
        </div>
      </dl>
      <div class="views">
        <Readable body={JSON.stringify(command)} what="the command" />
      </div>
    </section>
  )
}
