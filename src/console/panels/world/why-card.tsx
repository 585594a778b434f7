import { useState } from 'preact/hooks'
import { dueMs } from '../../../drawing/layout.ts'
import type { Explanation } from '../../api/types.ts'
import { BeforeAfter } from '../../parts/before-after.tsx'
import type { Answer } from '../../parts/before-after.tsx'
import { Button } from '../../parts/button.tsx'
import { StateWord } from '../../parts/marked-text.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { withDays } from '../../parts/value-words.ts'
import { nextWords } from '../../../wording/change-words.ts'
import { toDay, toMinute } from '../../../wording/times.ts'
import { hrefWith } from '../../state/location.ts'
import { goTo } from './preview.ts'
import type { Preview } from './preview.ts'

const ENDPOINTS = { latest: 'latest', last_generated: 'last generated' }
type Endpoint = keyof typeof ENDPOINTS

function pathOf(endpoint: Endpoint): string {
  return `/reports/${endpoint.replace('_', '-')}`
}

type Selection = Explanation['latest']

/** How many of the reports that were not selected are there at once. */
const SHOWN = 5

interface WhyCardProps {
  explanation: Explanation
  preview: Preview
  /** The id of the report that is selected. */
  selected: number
}

/** Why each of the two endpoints returns its report, why none of the others, and until when. */
export function WhyCard({ explanation, preview, selected }: WhyCardProps) {
  const [endpoint, setEndpoint] = useState<Endpoint>('latest')
  const isPreview = preview.atMs.value !== null && preview.explanation.value !== null
  const shown = (isPreview ? preview.explanation.value : null) ?? explanation
  const selection = shown[endpoint]
  const { candidates } = selection
  return (
    <section class={`card why ${isPreview ? 'previewed' : ''}`}>
      <header>
        <Tabs
          label="Endpoint"
          titles={ENDPOINTS}
          selected={endpoint}
          onSelect={setEndpoint}
          controls="why"
        />
      </header>
      <div id="why" role="tabpanel" aria-label={pathOf(endpoint)}>
        <h2>
          Why <code>{pathOf(endpoint)}</code> {isPreview ? 'would be' : 'is'}{' '}
          {selection.selected ? `report ${selection.selected.report_number}` : '404'}
          {isPreview && ` on ${toDay(shown.at)}`}
        </h2>
        <Candidates
          candidates={candidates.filter(({ is_selected }) => is_selected)}
          selected={selected}
        />
        {isPreview && (
          <BeforeAfter
            label={`${pathOf(endpoint)} now and then`}
            before={toAnswer('Now', explanation[endpoint])}
            after={toAnswer(toDay(shown.at), selection)}
            main={MAIN_FIELDS}
          />
        )}
        <Until selection={selection} endpoint={endpoint} />
        <Others
          key={endpoint}
          candidates={nearestFirst(candidates, shown.at)}
          selected={selected}
        />
      </div>
    </section>
  )
}

const MAIN_FIELDS = ['report_number', 'status', 'date_to_create_texts']

function toAnswer(when: string, { selected, data }: Selection): Answer {
  const what = selected ? `report ${selected.report_number}` : '404'
  return { title: `${when}: ${what}`, fields: data }
}

/** Those that are not selected, by how far from a time they are due. */
function nearestFirst(candidates: Selection['candidates'], at: string): Selection['candidates'] {
  const distanceOf = ({ report }: Selection['candidates'][number]): number =>
    Math.abs(dueMs(report) - Date.parse(at))
  return candidates
    .filter(({ is_selected }) => !is_selected)
    .toSorted((one, other) => distanceOf(one) - distanceOf(other))
}

interface CandidatesProps {
  candidates: Selection['candidates']
  /** The id of the report that is selected on the page. */
  selected: number
}

/** Reports, each with why the endpoint returns it or does not. */
function Candidates({ candidates, selected }: CandidatesProps) {
  if (candidates.length === 0) return null
  return (
    <ol class="candidates">
      {candidates.map(({ report, is_selected, section, reason }) => (
        <li key={report.id} class={is_selected ? 'won' : ''}>
          <a
            href={hrefWith({ report: String(report.report_number) })}
            aria-label={`Show report ${report.report_number}`}
            aria-current={report.id === selected}
          >
            {report.report_number}
          </a>
          <StateWord state={report.status} />
          <span>
            {withDays(reason)}{' '}
            <small class="soft">
              {is_selected && 'specification '}
              {section}
            </small>
          </span>
        </li>
      ))}
    </ol>
  )
}

/** Those that are not returned: some of them, and the rest behind a line. */
function Others({ candidates, selected }: CandidatesProps) {
  const rest = candidates.slice(SHOWN)
  return (
    <>
      <Candidates candidates={candidates.slice(0, SHOWN)} selected={selected} />
      {rest.length > 0 && (
        <details>
          <summary>{rest.length} others</summary>
          <Candidates candidates={rest} selected={selected} />
        </details>
      )}
    </>
  )
}

/** When another report takes the place of the one that is returned, with the button that goes there. */
function Until({ selection, endpoint }: { selection: Selection; endpoint: Endpoint }) {
  const { next_selection: change } = selection
  if (!change) {
    return (
      <p class="until soft">Until a report is changed: time alone does not change the answer.</p>
    )
  }
  const at = toMinute(change.at)
  const go = (): Promise<void> =>
    goTo(Date.parse(change.at), `Went to ${at}, when ${pathOf(endpoint)} changes`)
  return (
    <p class="until">
      <span>
        Until <b>{at}</b>, unless a report is changed: then {nextWords(selection)}.
      </span>
      <Button onPress={go} label={`Go there, to ${at}`}>
        Go there
      </Button>
    </p>
  )
}
