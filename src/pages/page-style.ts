import { BAND_STRENGTHS } from '../drawing/standings.ts'
import { AGENCY_COLORS } from './agency-color.ts'

/** The colours of agencies on a ground, each by the class of the page. */
function agencyRules(ground: 'light' | 'dark'): string {
  return AGENCY_COLORS.map(
    (color, index) => `.agency-${index} { --agency: ${color[ground]} }`,
  ).join(' ')
}

const BAND_RULES = BAND_STRENGTHS.map(
  (strength, band) => `.band-${band}::before { opacity: ${strength} }`,
).join(' ')

/** The style of the web pages, which their Content-Security-Policy allows by its hash. */
export const STYLE = `
:root { color-scheme: light dark; --text: #1d2329; --quiet: #5b6670; --line: #dde2e6; --link: #0b5cad; --page: #fff; --up: #187a4b; --down: #b3261e }
${agencyRules('light')}
@media (prefers-color-scheme: dark) {
  :root { --text: #e6eaed; --quiet: #9ba7b1; --line: #343c43; --link: #7db8f5; --page: #15191d; --up: #5cc792; --down: #ff8a80 }
  ${agencyRules('dark')}
}
html { background: var(--page); color: var(--text); font: 1.0625rem/1.6 system-ui, sans-serif; text-size-adjust: 100% }
body { border-top: .5rem solid var(--agency, var(--page)); margin: 0 }
main { margin: 0 auto; max-width: 42rem; overflow-wrap: anywhere; padding: 2rem 1.25rem 5rem }
h1 { font-size: clamp(1.6rem, 7vw, 2.1rem); letter-spacing: -.015em; line-height: 1.15; margin: 0 0 .5rem }
h2 { border-top: 1px solid var(--line); font-size: 1.35rem; line-height: 1.3; margin: 3rem 0 1rem; padding-top: 2rem }
h3 { font-size: 1.0625rem; line-height: 1.4; margin: 1.5rem 0 .25rem }
p { margin: 0 0 .75rem; white-space: pre-line }
a { color: var(--link); text-underline-offset: .15em }
.top { align-items: baseline; display: flex; gap: 1.25rem; justify-content: space-between; margin: 0 0 2.5rem }
.agency { color: var(--agency); font-size: 1.15rem; font-weight: 700; letter-spacing: .01em; line-height: 1.3; margin: 0 }
.description, .facts, .note, thead, .address, figcaption, .same { color: var(--quiet) }
.description { font-size: 1.0625rem; margin: 0 0 .25rem }
.facts { display: flex; flex-wrap: wrap; font-size: .95rem; gap: .25rem 1.25rem; white-space: normal }
.address { text-decoration: none }
a.address:hover { text-decoration: underline }
.summary { border-inline-start: .25rem solid var(--agency); font-size: 1.2rem; line-height: 1.5; margin: 2rem 0; padding-inline-start: 1rem; white-space: normal }
figure { align-items: center; display: flex; flex-wrap: wrap; gap: .5rem 3rem; margin: 2.5rem 0 }
figcaption { flex: 0 0 100%; font-size: .85rem }
figure svg { flex: none; height: auto; width: min(100%, 26rem) }
figure ul { font-size: .95rem; line-height: 1.9; list-style: none; margin: 0; min-width: 7rem; padding: 0 }
figure li { align-items: center; display: flex; gap: .6rem }
figure li::before { background: var(--agency); content: ""; height: .8rem; print-color-adjust: exact; width: .8rem }
${BAND_RULES}
figure .missing::before { background: none }
figure b { flex: 1; font-variant-numeric: tabular-nums; text-align: end }
table { border-collapse: collapse; margin-top: 2rem; width: 100% }
section ~ table { margin-top: 5rem }
th, td { border-bottom: 1px solid var(--line); font-weight: inherit; padding: .55rem 0; text-align: start; vertical-align: top }
thead { font-size: .85rem }
thead th { border-bottom: 2px solid var(--agency); overflow-wrap: break-word; vertical-align: bottom }
td, thead th:not(:first-child) { font-variant-numeric: tabular-nums; padding-inline-start: 1.25rem; text-align: end }
td { white-space: nowrap }
thead th:first-child { width: 100% }
tbody tr:last-child > * { border-bottom: 0 }
@media (min-width: 40rem) { thead th { white-space: nowrap } }
.up { color: var(--up) }
.down { color: var(--down) }
tbody .address { display: block; font-size: .8rem; line-height: 1.4; margin-top: .15rem }
section, tbody th { scroll-margin-top: 1rem }
@media print {
  @page { margin: 2cm }
  :root { color-scheme: light; --text: #000; --quiet: #555; --line: #ccc; --link: #000; --page: #fff; --up: #187a4b; --down: #b3261e }
  ${agencyRules('light')}
  html { font-size: 10pt }
  main { max-width: none; padding: 1rem 0 0 }
  a { text-decoration: none }
  .top a { display: none }
  h1, h2, h3 { break-after: avoid }
  tr, figure, .summary, section > div > div { break-inside: avoid }
}
`
