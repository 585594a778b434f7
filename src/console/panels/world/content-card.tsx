import { useEffect, useState } from 'preact/hooks'
import type { RecordOf } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { VirtualTable } from '../../parts/virtual-table.tsx'
import type { Column } from '../../parts/virtual-table.tsx'
import { EmptyState } from '../../parts/placeholders.tsx'
import { fitOnLine } from '../../../wording/fit-on-line.ts'
import { shortenSecret } from '../../parts/value-words.ts'
import { countGrouped } from '../../../wording/count.ts'
import { usePages, recordPages } from '../../parts/use-pages.ts'
import './contents.css'
import { theme } from '../../state/page.ts'
import { FRAME_STYLE } from './frame-style.ts'
import { api } from '../../api/client.ts'
import type { ReportContent } from '../../../contract/report-content.ts'
import { ApiError } from '../../api/api-error.ts'
import { listTokens, tokenFor } from '../../state/client-requests.ts'

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
  return { id, keyword: fitOnLine(keyword), position, url, active }
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
          {countGrouped(Object.keys(content).length, 'keyword')} of {total ?? 0} with content
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
        {keyword.url !== null && <bdi class="small soft">{fitOnLine(keyword.url, 120)}</bdi>}
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

/** Maximum length of a text shown, in characters; more than anybody reads here. */
const SHOWN = 20_000

/** Content of a report for a keyword, as text: blocks with headings, or JSON if its scheme has another shape. */
function TextOf({
  content,
  status,
}: {
  content: NonNullable<Report['content']>[string] | undefined
  status: Report['status']
}) {
  if (content === undefined) {
    return (
      <p class="soft">
        {status === 'completed'
          ? 'This report has no content for this keyword.'
          : `This report is ${status}: it has no content yet.`}
      </p>
    )
  }
  if (!Array.isArray(content)) {
    return <pre>{fitOnLine(JSON.stringify(content.content, null, 2), SHOWN)}</pre>
  }
  return (
    <>
      {content.map(({ h3, text }, index) => (
        <article key={index} dir="auto">
          <h3>{fitOnLine(h3)}</h3>
          <p>{fitOnLine(text, SHOWN)}</p>
        </article>
      ))}
    </>
  )
}

/**
 * HTML of a report as a browser renders it, in a frame that runs no script, opens nothing and has no origin. It has
 * the page's policy, which allows no other style in it.
 */
function HtmlFrame({ html }: { html: unknown }) {
  const page = [
    '<!doctype html>',
    `<meta name="color-scheme" content="${theme.value === 'system' ? 'light dark' : theme.value}">`,
    `<style>${FRAME_STYLE}</style>`,
    ...textsOf(html),
  ].join('\n')
  return <iframe class="html" title="The HTML as it is rendered" sandbox="" srcdoc={page} />
}

/** The API's response to a request for the content of a report. */
interface ContentResponse {
  /** The request, as a line: `GET /api/v1/…`. */
  line: string
  status: number
  /** The name of the token that was used; its requests are one more now. */
  token: string
  /** Null if the status is not 200, or the body is not as the specification describes it. */
  content: ReportContent | null
}

/**
 * Asks the API for the content of a report, as a client with a token of the world that may see it.
 *
 * @throws ApiError where there is no such token.
 */
async function askForContent({ project, report_number }: Report): Promise<ContentResponse> {
  const [{ agency }, tokens] = await Promise.all([
    api.get(`/records/projects/${project}`),
    listTokens(),
  ])
  const token = tokenFor(tokens, agency)
  if (!token) {
    const message = `No token of this world may see project ${project}. Add one that is active, of any address and with all abilities.`
    throw new ApiError(0, 'no_token', message)
  }
  const path = `/api/v1/projects/${project}/reports/${report_number}/content`
  const { status, text } = await api.request(
    { path, token: token.token },
    `Asked for the content of report ${report_number} of project ${project}`,
  )
  return { line: `GET ${path}`, status, token: token.name, content: toContent(status, text) }
}

function toContent(status: number, text: string): ReportContent | null {
  if (status !== 200) return null
  try {
    // A fault may have changed the body.
    const { data } = JSON.parse(text) as { data?: ReportContent }
    return data && Array.isArray(data.keywords) ? data : null
  } catch {
    return null
  }
}

/** Every text of a value, one below the other: the HTML of a keyword, whatever shape its scheme has. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsOf)
}
