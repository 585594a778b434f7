import { useEffect } from 'preact/hooks'
import { countGrouped } from '../../../wording/count.ts'
import type { SEVERITIES as WORST_FIRST } from '../../../contract/verdicts.ts'
import type { Review } from '../../api/types.ts'
import { Disclosure } from '../../parts/section.tsx'
import { StateWord, withCode } from '../../parts/marked-text.tsx'
import type { StateName } from '../../parts/marked-text.tsx'
import { Unread } from '../../parts/placeholders.tsx'
import { projectName } from '../../state/agency.ts'
import { hrefWith } from '../../state/location.ts'
import { useGet, useLastSequence } from '../../state/resource.ts'
import type { Resource } from '../../state/resource.ts'
import { reviewFindings } from './traffic-state.ts'
import type { FoundMistake } from './traffic-state.ts'

const SEVERITIES: typeof WORST_FIRST = ['error', 'warning', 'notice']

export const SEVERITY_STATES: Readonly<Record<(typeof SEVERITIES)[number], StateName>> = {
  error: 'failed',
  warning: 'late',
  notice: 'pending',
}

const DELIVERIES: Readonly<Record<Review['ledger'][number]['state'], string>> = {
  delivered: 'read',
  missing: 'not read yet',
  unsettled: 'cut off by a reset',
  unfinished: 'read unfinished',
  stale: 'outdated',
  late: 'read late',
  twice: 'read twice',
}

/** Reads the review of the client, and sets `reviewFindings` while the component is mounted. */
export function useReview(): Resource<Review> {
  const review = useGet('/review', useLastSequence())
  useEffect(() => {
    const found = new Map<number, FoundMistake[]>()
    for (const check of review.value?.checks ?? []) {
      for (const { message, instead, requests } of check.findings) {
        const sequence = requests.at(-1)?.sequence
        if (sequence === undefined) continue
        found.set(sequence, [...(found.get(sequence) ?? []), { check, message, instead }])
      }
    }
    reviewFindings.value = found
    return () => void (reviewFindings.value = new Map())
  }, [review.value])
  return review
}

export function MistakeCounts({ of: { value } }: { of: Resource<Review> }) {
  if (!value || value.requests === 0) return null
  const shown = SEVERITIES.flatMap((severity) => {
    const found = value.checks.filter((check) => check.severity === severity)
    const count = found.reduce((sum, { total, findings }) => sum + (total ?? findings.length), 0)
    if (count === 0) return []
    return (
      <StateWord key={severity} state={SEVERITY_STATES[severity]}>
        {countGrouped(count, severity)}
      </StateWord>
    )
  })
  if (shown.length === 0) return <StateWord state="completed">No mistakes found</StateWord>
  return <>{shown}</>
}

/** Formats the percentage of exercised checks that passed, by category: `retries 75%`. */
function scoresOf(checks: Review['checks']): string[] {
  const exercised = checks.filter(({ result }) => result !== 'not-exercised')
  return Object.entries(Object.groupBy(exercised, ({ category }) => category)).map(
    ([category, of]) => {
      const passed = of.filter(({ result }) => result === 'passed')
      return `${category} ${Math.floor((100 * passed.length) / of.length)}%`
    },
  )
}

export function ClientReview({ of: review }: { of: Resource<Review> }) {
  const { checks = [], ledger = [] } = review.value ?? {}
  const passed = checks.filter(({ result }) => result === 'passed').map(({ id }) => id)
  const missed = checks.filter(({ result }) => result === 'not-exercised')
  const deliveries = Object.groupBy(ledger, ({ state }) => state)
  return (
    <>
      <Unread of={review} />
      <p>{scoresOf(checks).join(' · ')}</p>
      {SEVERITIES.flatMap((severity) =>
        checks.filter((check) => check.result === 'failed' && check.severity === severity),
      ).map(toFailed)}
      {passed.length > 0 && <p class="small">Passed: {passed.join(', ')}.</p>}
      {missed.length > 0 && (
        <Disclosure summary={`Not exercised: ${missed.map(({ id }) => id).join(', ')}.`}>
          <ul>
            {missed.map(({ id, exercise }) => (
              <li key={id}>
                {id}: {withCode(exercise)}
              </li>
            ))}
          </ul>
        </Disclosure>
      )}
      {ledger.length > 0 && (
        <Disclosure
          summary={`Reports: ${Object.entries(deliveries)
            .map(
              ([state, entries]) =>
                `${entries.length} ${DELIVERIES[state as keyof typeof DELIVERIES]}`,
            )
            .join(', ')}.`}
        >
          <ul>
            {ledger.slice(0, MAXIMUM_LISTED).map(({ report_id, project, report_number, state }) => (
              <li key={report_id}>
                <a
                  href={hrefWith({
                    panel: 'world',
                    project: String(project),
                    report: String(report_number),
                  })}
                >
                  Report {report_number} of <bdi>{projectName(project)}</bdi>
                </a>
                : {DELIVERIES[state]}
              </li>
            ))}
            {ledger.length > MAXIMUM_LISTED && (
              <li>{`and ${countGrouped(ledger.length - MAXIMUM_LISTED, 'other')}`}</li>
            )}
          </ul>
        </Disclosure>
      )}
    </>
  )
}

const MAXIMUM_LISTED = 200

function toFailed({ id, severity, section, findings, total }: Review['checks'][number]) {
  return (
    <section key={id}>
      <h3>
        <StateWord state={SEVERITY_STATES[severity]}>{severity}</StateWord> {id}{' '}
        <span class="soft">Section {section} of the specification</span>
      </h3>
      <p>{withCode(findings[0]?.instead ?? '')}</p>
      <Findings findings={findings.slice(0, 1)} />
      {findings.length > 1 && (
        <Disclosure summary={`${(total ?? findings.length) - 1} more`}>
          <Findings findings={findings.slice(1)} />
        </Disclosure>
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
