import { ChevronDown, ChevronRight } from 'lucide'
import { Fragment } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { toMonth } from '../../../wording/times.ts'
import type { RecordOf } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Icon } from '../../parts/icon.tsx'
import { BreakingPath } from '../../parts/marked-text.tsx'
import { EmptyState } from '../../parts/placeholders.tsx'
import { fitOnLine } from '../../../wording/fit-on-line.ts'
import { shortenSecret } from '../../parts/value-words.ts'
import { countGrouped } from '../../../wording/count.ts'
import { usePages, recordPages } from '../../parts/use-pages.ts'
import { navigate, query } from '../../state/location.ts'
import { theme } from '../../state/page.ts'
import { FRAME_STYLE } from './frame-style.ts'
import { api } from '../../api/client.ts'
import type { ReportContent } from '../../../contract/report-content.ts'
import { ApiError } from '../../api/api-error.ts'
import type { ReportPositions } from './read-project.ts'
import { listTokens, tokenFor } from '../../state/client-requests.ts'

type Report = RecordOf<'reports'>
type Keyword = RecordOf<'keywords'>

const FORMS = { text: 'Text', html: 'HTML' }

/** Number of keywords that are listed at first, and that each press of the button adds. */
const PAGE_SIZE = 100

interface ContentCardProps {
  report: Report
  positions: ReportPositions | null
}

/** The keywords of a project, with their positions in the month of a report, and the report's content for the chosen keyword. */
export function ContentCard({ report, positions }: ContentCardProps) {
  const { project, report_number, content = {} } = report
  const chosen = Number(query.value['keyword'])
  const [listed, setListed] = useState(PAGE_SIZE)
  const {
    total = 0,
    rowAt,
    view,
  } = usePages(
    recordPages('keywords', { project }, (record) => record),
    [project],
  )
  useEffect(() => view(listed - 1), [view, listed])
  const rows = Array.from({ length: Math.min(total, listed) }, (_, index) => rowAt(index))
  const before = positions?.before
  const withTexts = Object.keys(content).length
  return (
    <section class="section contents" id="texts">
      <header>
        <h2 class="lead">Keywords of report {report_number}</h2>
        {total > 0 && (
          <small class="soft">
            {countGrouped(total, 'keyword')}, {withTexts || 'none'} with texts
          </small>
        )}
      </header>
      {total === 0 ? (
        <p class="soft">This project has no keywords: a report of it has no texts.</p>
      ) : (
        <table aria-label="Keywords">
          <thead>
            <tr>
              <th scope="col">Keyword</th>
              {positions && <th scope="col">Position</th>}
              {before && <th scope="col">Since {toMonth(before).slice(0, 3)}</th>}
              <th scope="col">Texts</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => {
              if (!row) return <UnreadRow key={`row ${index}`} />
              const { id, keyword, active } = row
              const position = positions?.keywords.get(id)
              const isChosen = id === chosen
              return (
                <Fragment key={id}>
                  <tr>
                    <td>
                      <button
                        type="button"
                        class="keyword"
                        aria-expanded={isChosen}
                        onClick={() =>
                          navigate(
                            { keyword: isChosen ? undefined : String(id) },
                            { replace: true },
                          )
                        }
                      >
                        <Icon of={isChosen ? ChevronDown : ChevronRight} />
                        <span>
                          <bdi>{fitOnLine(keyword)}</bdi>
                          {!active && <small class="soft"> inactive</small>}
                        </span>
                      </button>
                    </td>
                    {positions && (
                      <td>
                        <b>{position?.is ?? '–'}</b>
                      </td>
                    )}
                    {before && (
                      <td>
                        <Rise of={position} />
                      </td>
                    )}
                    <td>{sizeOf(content[id])}</td>
                  </tr>
                  {isChosen && (
                    <tr>
                      <td colSpan={4}>
                        <Content report={report} keyword={row} />
                      </td>
                    </tr>
                  )}
                </Fragment>
              )
            })}
          </tbody>
        </table>
      )}
      {total > listed && (
        <Button onPress={() => setListed(listed + PAGE_SIZE)}>
          Show {Math.min(total - listed, PAGE_SIZE)} more keywords
        </Button>
      )}
    </section>
  )
}

function UnreadRow() {
  return (
    <tr>
      <td colSpan={4}>
        <span class="unloaded" />
      </td>
    </tr>
  )
}

/** Change of position since the previous completed report; `new` if the keyword had none then, a dash if it has none now. */
function Rise({ of }: { of: { is: number | null; was: number | null } | undefined }) {
  const { is = null, was = null } = of ?? {}
  if (is === null) return <small class="soft">–</small>
  if (was === null) return <small class="rose">new</small>
  const by = was - is
  if (by === 0) return <small class="soft">same</small>
  return by > 0 ? <small class="rose">▲ up {by}</small> : <small class="fell">▼ down {-by}</small>
}

/** Formats the number of blocks in a keyword's content: `1` for content in another shape, a dash for none. */
function sizeOf(content: unknown): string {
  if (content === undefined) return '–'
  return Array.isArray(content) ? String(content.length) : '1'
}

function Content({ report, keyword }: { report: Report; keyword: Keyword }) {
  const [form, setForm] = useState<keyof typeof FORMS>('text')
  const [response, setResponse] = useState<ContentResponse>()
  // A change of the report outdates the response.
  const version = JSON.stringify([report.id, report.status, report.approved_status, report.sent])
  useEffect(() => setResponse(undefined), [version])
  const ask = async (): Promise<void> => setResponse(await askForContent(report))
  return (
    <div class="beside">
      <div class="row">
        <Tabs
          label="Form of the texts"
          titles={FORMS}
          selected={form}
          onSelect={setForm}
          controls="content"
        />
        {keyword.url && <bdi class="small soft">{fitOnLine(keyword.url, 120)}</bdi>}
      </div>
      <div id="content" role="tabpanel" aria-label="Texts" tabIndex={0}>
        {form === 'text' ? (
          <TextOf content={report.content?.[keyword.id]} status={report.status} />
        ) : (
          <HtmlOf response={response} keyword={keyword.id} onAsk={ask} />
        )}
      </div>
      {response && (
        <p class="small soft">
          <code>
            <BreakingPath path={response.line} />
          </code>{' '}
          was {response.status}, with the token <bdi>{shortenSecret(response.tokenName)}</bdi>.
        </p>
      )}
    </div>
  )
}

interface HtmlOfProps {
  response: ContentResponse | undefined
  keyword: number
  onAsk: () => Promise<void>
}

function HtmlOf({ response, keyword, onAsk }: HtmlOfProps) {
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
          ? 'The content has only active keywords.'
          : `The API answered ${response.status}, without content.`}
      </p>
    )
  }
  if (entry.html === null) return <p class="soft">has_content is false: html is null.</p>
  return <HtmlFrame html={entry.html} />
}

/** In characters. Nobody would read more in a card. */
const MAXIMUM_TEXT_LENGTH = 20_000

/** Content of a report for a keyword, as text: blocks with headings, or JSON if the content has another shape. */
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
    return <pre>{fitOnLine(JSON.stringify(content.content, null, 2), MAXIMUM_TEXT_LENGTH)}</pre>
  }
  return (
    <>
      {content.map(({ h3, text }, index) => (
        <article key={index} dir="auto">
          <h3>{fitOnLine(h3)}</h3>
          <p>{fitOnLine(text, MAXIMUM_TEXT_LENGTH)}</p>
        </article>
      ))}
    </>
  )
}

/**
 * HTML of a report, rendered in a sandboxed frame. The frame inherits the content security policy of the page, which allows no
 * inline style except `FRAME_STYLE`.
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

interface ContentResponse {
  /** Method and path of the request: `GET /api/v1/…`. */
  line: string
  status: number
  tokenName: string
  /** Null unless the status is 200 and the body is JSON with a list of keywords. */
  content: ReportContent | null
}

/**
 * Requests the content of a report from the API, as a client with a token that may see the report.
 *
 * @throws ApiError if the world has no such token
 */
async function askForContent({ project, report_number }: Report): Promise<ContentResponse> {
  const [{ agency }, tokens] = await Promise.all([
    api.get(`/records/projects/${project}`),
    listTokens(),
  ])
  const token = tokenFor(tokens, agency)
  if (!token) {
    const message = `No token of this world may see project ${project}. Add an active one of any address, with all abilities.`
    throw new ApiError(0, 'no_token', message)
  }
  const path = `/api/v1/projects/${project}/reports/${report_number}/content`
  const { status, text } = await api.request(
    { path, token: token.token },
    `Requested the content of report ${report_number} of project ${project}`,
  )
  return { line: `GET ${path}`, status, tokenName: token.name, content: toContent(status, text) }
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

/** Returns all strings in a value, in order, because the `html` of a keyword may have any shape. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsOf)
}
