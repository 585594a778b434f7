import { Clock, FastForward } from 'lucide'
import { useState } from 'preact/hooks'
import { dueMs } from '../../../drawing/timeline.ts'
import type { Explanation } from '../../api/types.ts'
import { BeforeAfter, REPORT_FIELDS } from '../../parts/before-after.tsx'
import type { Answer } from '../../parts/before-after.tsx'
import { Button } from '../../parts/button.tsx'
import { Disclosure } from '../../parts/section.tsx'
import { Icon } from '../../parts/icon.tsx'
import { StateWord } from '../../parts/marked-text.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { LANES } from '../../parts/timeline-of.ts'
import type { LaneName } from '../../parts/timeline-of.ts'
import { withDays } from '../../parts/value-words.ts'
import { countGrouped } from '../../../wording/count.ts'
import { nextWords } from '../../../wording/change-words.ts'
import { reasonOfRule } from '../../../wording/decision.ts'
import { toDay, toDistance, toMinute, toWeekdayTime } from '../../../wording/times.ts'
import { hrefWith } from '../../state/location.ts'
import { goTo } from './preview.ts'
import type { Preview } from './preview.ts'

type Selection = Explanation['latest']

/** Further unselected reports are shown on request. */
const MAXIMUM_LISTED = 2

interface WhyCardProps {
  explanation: Explanation
  preview: Preview
  selectedId: number
}

/** The selection of an endpoint: the reason for the selected report, the reasons against the others, and the next change. */
export function WhyCard({ explanation, preview, selectedId }: WhyCardProps) {
  const [endpoint, setEndpoint] = useState<LaneName>('latest')
  const isPreview = preview.atMs.value !== null && preview.explanation.value !== null
  const shown = (isPreview ? preview.explanation.value : null) ?? explanation
  const selection = shown[endpoint]
  const name = LANES[endpoint]
  const others = nearestFirst(selection.candidates, shown.at)
  return (
    <section class="section why">
      <header>
        <h2 class="lead">
          <code>{name}</code> {!isPreview ? 'is' : shown.at < explanation.now ? 'was' : 'would be'}{' '}
          {selection.selected ? `report ${selection.selected.report_number}` : '404'}
          {isPreview && ` on ${toDay(shown.at)}`}
        </h2>
        <Tabs
          label="Endpoint"
          titles={LANES}
          selected={endpoint}
          onSelect={setEndpoint}
          controls="why"
        />
      </header>
      <div id="why" role="tabpanel" aria-label={name}>
        {!selection.selected && (
          <p>
            {reasonOfRule(selection.rule, false)}.{' '}
            <small class="soft">Section {selection.rule}</small>
          </p>
        )}
        {selection.candidates
          .filter(({ is_selected }) => is_selected)
          .map(({ reason, section }) => (
            <p key={section}>
              {withDays(reason)} <small class="soft">Section {section}</small>
            </p>
          ))}
        <Until selection={selection} endpoint={name} fromMs={Date.parse(shown.at)} />
        {isPreview && (
          <BeforeAfter
            label={`${name} now and then`}
            before={toAnswer('Now', explanation[endpoint])}
            after={toAnswer(toDay(shown.at), selection)}
            alwaysShown={REPORT_FIELDS}
          />
        )}
        {others.length > 0 && <h3>{selection.selected ? 'Why not another' : 'Why none'}</h3>}
        <Candidates candidates={others.slice(0, MAXIMUM_LISTED)} selectedId={selectedId} />
        {others.length > MAXIMUM_LISTED && (
          <Disclosure
            key={endpoint}
            summary={countGrouped(others.length - MAXIMUM_LISTED, 'other')}
          >
            <Candidates candidates={others.slice(MAXIMUM_LISTED)} selectedId={selectedId} />
          </Disclosure>
        )}
      </div>
    </section>
  )
}

function toAnswer(when: string, { selected, data }: Selection): Answer {
  const answer = selected ? `report ${selected.report_number}` : '404'
  return { title: `${when}: ${answer}`, fields: data }
}

/** Returns the unselected candidates, those dated nearest to `at` first. */
function nearestFirst(candidates: Selection['candidates'], at: string): Selection['candidates'] {
  const distanceOf = ({ report }: Selection['candidates'][number]): number =>
    Math.abs(dueMs(report) - Date.parse(at))
  return candidates
    .filter(({ is_selected }) => !is_selected)
    .toSorted((a, b) => distanceOf(a) - distanceOf(b))
}

interface CandidatesProps {
  candidates: Selection['candidates']
  selectedId: number
}

function Candidates({ candidates, selectedId }: CandidatesProps) {
  return (
    <ol class="candidates">
      {candidates.map(({ report, section, reason }) => (
        <li key={report.id}>
          <a
            href={hrefWith({ report: String(report.report_number) })}
            aria-label={`Show report ${report.report_number}`}
            aria-current={report.id === selectedId}
          >
            {report.report_number}
          </a>
          <StateWord state={report.status} />
          <span class="soft">
            {withDays(reason)} <small>{reason.includes(section) || section}</small>
          </span>
        </li>
      ))}
    </ol>
  )
}

interface UntilProps {
  selection: Selection
  endpoint: string
  /** Time of the selection, in epoch milliseconds. */
  fromMs: number
}

/** The time at which the selection changes, with a button that sets the world clock to that time. */
function Until({ selection, endpoint, fromMs }: UntilProps) {
  const { next_selection: change } = selection
  if (!change) {
    return (
      <p class="until soft">
        <Icon of={Clock} />
        Until a report is changed: time alone does not change the answer.
      </p>
    )
  }
  const changeMs = Date.parse(change.at)
  const at = toMinute(change.at)
  const go = (): Promise<void> => goTo(changeMs, `Went to ${at}, when ${endpoint} changes`)
  return (
    <p class="until">
      <Icon of={Clock} />
      <span>
        Until <b>{toWeekdayTime(change.at, fromMs)}</b>, in {toDistance(changeMs - fromMs)}, unless
        a report is changed. Then {nextWords(selection, endpoint)}.{' '}
        <Button
          variant="quiet"
          icon={FastForward}
          onPress={go}
          label={`Go to ${at}, when ${endpoint} changes`}
        />
      </span>
    </p>
  )
}
