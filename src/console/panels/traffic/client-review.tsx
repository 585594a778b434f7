import { useEffect, useState } from 'preact/hooks'
import type { Review } from '../../api/types.ts'
import { StateWord, withCode } from '../../parts/marked-text.tsx'
import type { StateName } from '../../parts/marked-text.tsx'
import { Unread } from '../../parts/placeholders.tsx'
import { latestSequence } from '../../state/kept-journal.ts'
import { hrefWith } from '../../state/location.ts'
import { useGet } from '../../state/resource.ts'
import type { Resource } from '../../state/resource.ts'
import { reviewFindings } from './traffic-state.ts'

const LOOK_MS = 1000

/** The worst first. */
const SEVERITIES = ['error', 'warning', 'notice']

/** What the client did well and badly since the world was created or reset; the list marks the requests of its findings. */
export function ClientReview() {
  const [isOpen, setOpen] = useState(false)
  const review = useGet('/review', useLastSequence())
  const checks = review.value?.checks ?? []
  useEffect(() => {
    reviewFindings.value = checks.flatMap((check) =>
      check.findings.map(({ message, requests }) => {
        return { check, message, sequence: requests.at(-1)?.sequence }
      }),
    )
    return () => void (reviewFindings.value = [])
  }, [review.value])
  return (
    <details class="small review" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{['Review of the client', ...scoresOf(checks)].join(' · ')}</summary>
      {isOpen && <Result of={review} />}
    </details>
  )
}

/** The share of the exercised checks about each thing that passed. */
function scoresOf(checks: Review['checks']): string[] {
  const exercised = checks.filter(({ result }) => result !== 'not-exercised')
  return Object.entries(Object.groupBy(exercised, ({ category }) => category)).map(
    ([category, of]) => {
      const passed = of.filter(({ result }) => result === 'passed')
      return `${category} ${Math.floor((100 * passed.length) / of.length)} %`
    },
  )
}

function Result({ of: review }: { of: Resource<Review> }) {
  const { checks = [], ledger = [] } = review.value ?? {}
  const withResult = (result: string) => checks.filter((check) => check.result === result)
  const [passed, open] = [withResult('passed').map(({ id }) => id), withResult('not-exercised')]
  const deliveries = Object.groupBy(ledger, ({ state }) => state)
  return (
    <div>
      <Unread of={review} />
      {SEVERITIES.flatMap((severity) =>
        checks.filter((check) => check.result === 'failed' && check.severity === severity),
      ).map(toFailed)}
      {passed.length > 0 && <p>{`Passed: ${passed.join(', ')}.`}</p>}
      {open.length > 0 && (
        <details class="soft">
          <summary>{`Not exercised: ${open.map(({ id }) => id).join(', ')}.`}</summary>
          <ul>
            {open.map(({ id, exercise }) => (
              <li key={id}>
                {id}: {withCode(exercise)}
              </li>
            ))}
          </ul>
        </details>
      )}
      {ledger.length > 0 && (
        <p>
          {`Reports: ${Object.entries(deliveries)
            .map(([state, entries]) => `${entries.length} ${state}`)
            .join(', ')}.`}
        </p>
      )}
    </div>
  )
}

function toFailed({ id, severity, section, findings }: Review['checks'][number]) {
  return (
    <section key={id}>
      <h2>
        {id} <StateWord state={stateOf({ severity })}>{severity}</StateWord>{' '}
        <span class="soft">section {section}</span>
      </h2>
      <p>{withCode(findings[0]?.instead ?? '')}</p>
      <Findings findings={findings.slice(0, 1)} />
      {findings.length > 1 && (
        <details>
          <summary>{`${findings.length - 1} more`}</summary>
          <Findings findings={findings.slice(1)} />
        </details>
      )}
    </section>
  )
}

function Findings({ findings }: Pick<Review['checks'][number], 'findings'>) {
  return (
    <ul>
      {findings.map(({ message, requests }) => (
        <li key={message}>
          {withCode(message)}{' '}
          {requests.map(({ sequence }) => (
            <a key={sequence} href={hrefWith({ request: String(sequence) })}>
              {`${sequence} `}
            </a>
          ))}
        </li>
      ))}
    </ul>
  )
}

/** The colour of a check that failed. */
export function stateOf({ severity }: Pick<Review['checks'][number], 'severity'>): StateName {
  return severity === 'error' ? 'failed' : 'pending'
}

/** The sequence of the last entry of the journal each second: a review is not read again for every request. */
export function useLastSequence(): number {
  const [sequence, setSequence] = useState(latestSequence)
  useEffect(() => {
    const timer = setInterval(() => setSequence(latestSequence()), LOOK_MS)
    return () => clearInterval(timer)
  }, [])
  return sequence
}
