import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toAnnotations } from '../../src/review/reports/annotations.ts'
import type { ReportInput } from '../../src/review/reports/report-input.ts'
import {
  aCheck,
  aFinding,
  aReview,
  FAILED,
  HOSTILE_REVIEW,
  LARGE,
  NOTHING,
  SESSIONS,
  UNREAD,
} from './some-reviews.ts'

/** A review as annotations of a job of GitHub Actions. */

interface Shown {
  level: string
  title: string
  text: string
}

/**
 * Reads annotations as the runner does: it splits a command at its second `::`, its properties at commas, and each at its first
 * `=`.
 */
function read(input: ReportInput): Shown[] {
  const lines = toAnnotations(input).split('\n')
  expect(lines.pop()).toBe('')
  return lines.map((line) => {
    const [, level = '', properties = '', data = ''] = /^::(\w+) (.*?)::(.*)$/.exec(line) ?? []
    const [first = '', ...others] = properties.split(',')
    const [name, title = ''] = first.split(/=(.*)/s)
    expect([name, others]).toEqual(['title', []])
    return { level, title: unescapeProperty(title), text: unescapeData(data) }
  })
}

function unescapeData(text: string): string {
  return text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%')
}

function unescapeProperty(text: string): string {
  return unescapeData(text.replaceAll('%3A', ':').replaceAll('%2C', ','))
}

test('a check that failed is an annotation of its severity, with its requests and what to do instead', () => {
  const text = `The request was sent again 60 ms after a 429 that said to wait 12 s.
  #1 GET /api/v1/projects 429
  #2 GET /api/v1/projects?page=2 no response
Instead: Wait as long as Retry-After says.`
  expect(read(FAILED).slice(0, 3)).toEqual([
    { level: 'error', title: 'failed: retry-after (specification 5.3)', text },
    { level: 'warning', title: 'warning: poll-latest (specification 4.5)', text },
    { level: 'notice', title: 'notice: json-accept (specification 1.1)', text },
  ])
})

test('what was required and was not shown is an error, and so is a waiver that has expired', () => {
  expect(read(FAILED).slice(3)).toEqual([
    {
      level: 'error',
      title: 'Requirements: delivered: not met',
      text: '2 are missing. Read them.',
    },
    {
      level: 'warning',
      title: 'Waivers: probing: unused',
      text: 'until 2026-04-30: The new client. (It did not fail. Remove the waiver.)',
    },
    {
      level: 'error',
      title: 'Waivers: one-by-one: expired',
      text: 'until 2026-03-30: A bug. (Remove the waiver, or extend it.)',
    },
  ])
})

test('a failure that is waived is a notice', () => {
  const check = aCheck({ result: 'failed', findings: [aFinding()], waived: true })
  expect(read({ review: aReview({ checks: [check] }) })).toMatchObject([
    { level: 'notice', title: 'waived: retry-after (specification 5.3)' },
  ])
})

test.each<[string, ReportInput, string, string]>([
  ['requested nothing is a warning', NOTHING, 'warning', 'made no request'],
  ['got no 200 is an error', UNREAD, 'error', 'None of its requests got a 200'],
])('a client that %s', (_, input, level, part) => {
  expect(read(input)).toEqual([
    { level, title: 'Review of the client', text: expect.stringContaining(part) },
  ])
})

test('a rehearsal that was stopped is an error', () => {
  const notice = 'It was stopped after 3 of 9 runs.'
  expect(read({ review: aReview({ stopped: true, notice }) })).toMatchObject([
    { level: 'error', text: expect.stringContaining(notice) },
  ])
})

test('a client that passed has none', () => {
  expect(toAnnotations({ review: aReview() })).toBe('')
})

test('a finding of one of several sessions is named with its session', () => {
  expect(read(SESSIONS)[0]?.text).toContain('Session 3, 2026-03-04 12:00:01: The request')
})

test('there is one for each check, with as many findings as other reports for people show', () => {
  const [only, ...others] = read(LARGE)
  expect(others).toEqual([])
  expect(only?.text).toContain('and 197 more')
})

describe('whatever its texts are,', () => {
  test('a review has the same annotations', () => {
    const part = fc.constantFrom('%', '0A', '3A', ':', ',', '=', '\r', '\n', '\u2028', '##[', 'a')
    const anyText = fc.array(part).map((parts) => parts.join(''))
    fc.assert(
      fc.property(anyText, anyText, (id, message) => {
        const findings = [aFinding({ message, instead: message, requests: [] })]
        const check = aCheck({ id: id as 'backoff', result: 'failed', findings })
        const shown = read({ review: aReview({ checks: [check] }) })
        expect(shown.map(({ level }) => level)).toEqual(['error'])
        expect(shown[0]?.text.split('\n')).toHaveLength(2)
      }),
    )
  })

  test('nothing of them is a control or another command', () => {
    expect(toAnnotations(HOSTILE_REVIEW).replaceAll('\n', '')).not.toMatch(
      /[\p{Cc}\u202A-\u202E\u2066-\u2069]/u,
    )
    const percent = aFinding({ message: 'a%0A::error::b\r\n::stop-commands::c', requests: [] })
    const check = aCheck({ result: 'failed', findings: [percent] })
    expect(read({ review: aReview({ checks: [check] }) })).toHaveLength(1)
  })

  test('they are shown as they are', () => {
    const message = '100%, 50%0A: a, b::c'
    const check = aCheck({ id: message as 'backoff', result: 'failed' })
    const given = { ...check, findings: [aFinding({ message })] }
    expect(read({ review: aReview({ checks: [given] }) })).toMatchObject([
      { title: `failed: ${message} (specification 5.3)`, text: expect.stringContaining(message) },
    ])
  })
})
