import { expect, it } from 'vitest'
import { reportLinks, showReportLink } from '../../src/contract/report-facts.ts'

it('gives each report links of its own on a reserved host', () => {
  const { web_link, pdf_link } = reportLinks(41)
  expect(new URL(web_link).host).toMatch(/\.example$/)
  expect(pdf_link).toBe(`${web_link}.pdf`)
  expect(reportLinks(42).web_link).not.toBe(web_link)
})

const pageOf = (id: number) => `/reports/${id}-signed`

it.each([1, 41, Number.MAX_SAFE_INTEGER])('shows pages for the links of report %i', (id) => {
  const { web_link, pdf_link } = reportLinks(id)
  expect(showReportLink(web_link, pageOf)).toBe(`/reports/${id}-signed`)
  expect(showReportLink(pdf_link, pageOf)).toBe(`/reports/${id}-signed.pdf`)
})

const { web_link: LINK } = reportLinks(41)

it.each([
  'https://klitrose.example/reports/41',
  `${LINK}?page=2`,
  `${LINK}/`,
  `${LINK}.html`,
  ` ${LINK}`,
  LINK.replace('https', 'http'),
  LINK.replace('.example', '.example.com'),
  LINK.replace(/\d+$/, '0'),
])('leaves alone %s', (link) => {
  expect(showReportLink(link, pageOf)).toBe(link)
})
