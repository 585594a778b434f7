import { useEffect, useState } from 'preact/hooks'
import type { RecordOf } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { VirtualTable } from '../../parts/virtual-table.tsx'
import type { Column } from '../../parts/virtual-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { askForContent } from './content-request.ts'
import type { ContentResponse } from './content-request.ts'
import { HtmlFrame } from './html-frame.tsx'
import { TextOf } from './text-of.tsx'
import { shorten } from '../../../wording/shorten.ts'
import { count, shortenSecret } from '../../parts/texts.ts'
import { usePages } from '../../parts/use-pages.ts'
import { recordPages } from './record-pages.ts'
import './contents.css'

type Report = RecordOf<'reports'>

interface KeywordRow {
  id: number
  keyword: string
  position: number | null
  url: string | null
  active: boolean
}

function toRow(record: RecordOf<'keywords'>): KeywordRow {
  const { id, keyword, latest_position: position, url, active } = record
  return { id, keyword: shorten(keyword), position, url, active }
}

const FORMS = { text: 'Text', html: 'HTML' }

/** The keywords of a project with their positions, and what a report has for each, as text and as HTML. */
export function ContentCard({ report }: { report: Report }) {
  const [chosen, choose] = useState<number>()
  const { project, report_number, content = {} } = report
  const { total, rowAt, view } = usePages(recordPages('keywords', { project }, toRow), [project])
  const rows = Array.from({ length: total ?? 0 }, (_, index) => rowAt(index))
  const keyword =
    rows.find((row) => row?.id === chosen) ??
    rows.find((row) => row && row.id in content) ??
    rows[0]
  return (
    <section class="card contents" id="texts">
      <header>
        <h2>Keywords and texts of report {report_number}</h2>
        <span class="soft small">
          {count(Object.keys(content).length, 'keyword')} of {total ?? 0} with content
        </span>
      </header>
      {total === 0 ? (
        <p class="note soft">This project has no keywords: a report of it has no texts.</p>
      ) : (
        <div class="columns">
          <VirtualTable
            label="Keywords"
            columns={columnsFor(content)}
            count={total ?? 6}
            rowAt={rowAt}
            keyOf={(row) => row.id}
            selected={keyword?.id}
            onSelect={(row) => choose(row.id)}
            onView={view}
          />
          {keyword && <Content report={report} keyword={keyword} />}
        </div>
      )}
    </section>
  )
}

function columnsFor(content: NonNullable<Report['content']>): Column<KeywordRow>[] {
  return [
    {
      title: 'Keyword',
      cell: ({ keyword, active }) => (
        <>
          <bdi>{keyword}</bdi>
          {!active && <small class="soft"> inactive</small>}
        </>
      ),
    },
    { title: 'Position', width: '5rem', align: 'end', cell: ({ position }) => position ?? '–' },
    {
      title: 'Texts',
      width: '3.5rem',
      align: 'end',
      cell: ({ id }) => sizeOf(content[id]),
    },
  ]
}

/** How many blocks a keyword has in a report. */
function sizeOf(content: unknown): string {
  if (content === undefined) return '–'
  return Array.isArray(content) ? String(content.length) : '1'
}

function Content({ report, keyword }: { report: Report; keyword: KeywordRow }) {
  const [form, setForm] = useState<keyof typeof FORMS>('text')
  const [response, setResponse] = useState<ContentResponse>()
  // A response from before the report changed is outdated.
  const version = JSON.stringify([report.id, report.status, report.approved_status, report.sent])
  useEffect(() => setResponse(undefined), [version])
  const ask = async (): Promise<void> => setResponse(await askForContent(report))
  return (
    <div class="content">
      <div class="toolbar">
        <Tabs
          label="Form of the texts"
          titles={FORMS}
          selected={form}
          onSelect={setForm}
          controls="content"
        />
      </div>
      <p class="about">
        <b>
          <bdi>{keyword.keyword}</bdi>
        </b>{' '}
        {keyword.url !== null && <bdi class="small soft">{shorten(keyword.url, 120)}</bdi>}
      </p>
      <div id="content" role="tabpanel" aria-label="Texts" tabIndex={0}>
        {form === 'text' ? (
          <TextOf content={report.content?.[keyword.id]} status={report.status} />
        ) : (
          <HtmlOf response={response} keyword={keyword.id} onAsk={ask} />
        )}
      </div>
      {response && (
        <p class="small soft">
          <code>{response.line}</code> was {response.status}, with the token{' '}
          <bdi>{shortenSecret(response.token)}</bdi>.
        </p>
      )}
    </div>
  )
}

interface OfResponse {
  response: ContentResponse | undefined
  onAsk: () => Promise<void>
}

function HtmlOf({ response, keyword, onAsk }: OfResponse & { keyword: number }) {
  if (!response) {
    return (
      <EmptyState
        title="The API makes the HTML"
        action={<Button onPress={onAsk}>Get the HTML</Button>}
      >
        The request counts as one of a token of this world.
      </EmptyState>
    )
  }
  const entry = response.content?.keywords.find(({ keyword_id }) => keyword_id === keyword)
  if (!entry) {
    return (
      <p class="soft">
        {response.content
          ? 'The content has no entry for this keyword: only active keywords have one.'
          : `The API answered ${response.status}, without content.`}
      </p>
    )
  }
  if (entry.html === null) return <p class="soft">has_content is false: html is null.</p>
  return <HtmlFrame html={entry.html} />
}
