import type { Explanation, RecordOf } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { StateWord } from '../../parts/state-word.tsx'
import { comingWords } from '../../../wording/change-words.ts'
import { Fields } from './fields.tsx'
import { STEP_TEXTS, stepsOf, takeStep } from './report-steps.ts'
import type { ReadReport } from './read-project.ts'

type Report = RecordOf<'reports'>

/** The report that is selected: its state, what can follow, and its fields. */
export function ReportCard({
  read,
  changes,
}: {
  read: ReadReport
  changes: Explanation['changes']
}) {
  const { report, names } = read
  const coming = comingWords(report, changes)
  return (
    <section class="card report">
      <header>
        <h2>Report {report.report_number}</h2>
        {report.content && <a href="#texts">Read its texts</a>}
        <StateWord state={report.status} />
      </header>
      {coming && <p class="note">{coming}</p>}
      <Steps report={report} />
      <Fields record={fieldsOf(read)} names={names} />
    </section>
  )
}

/** What can follow the state of a report, the next step first. */
function Steps({ report }: { report: Report }) {
  return (
    <div class="acts" role="group" aria-label="What can follow">
      {stepsOf(report).map((step, index) => (
        <Button
          key={step}
          variant={index === 0 && step !== 'regenerate' ? 'primary' : 'plain'}
          onPress={() => takeStep(step, report)}
        >
          {STEP_TEXTS[step][0]}
        </Button>
      ))}
    </div>
  )
}

/** What the head of the card does not show already, in the fixture's form but with the links that the API returns. */
function fieldsOf({ report, links }: ReadReport): object {
  const { status: _, content: __, report_number: ___, project: ____, ...fields } = report
  return { ...fields, ...links }
}
