/** The style of the web pages, which their Content-Security-Policy allows by its hash. */
export const STYLE = `
:root { color-scheme: light dark; --text: #1d2329; --quiet: #5b6670; --line: #dde2e6; --link: #0b5cad; --page: #fff }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6eaed; --quiet: #9ba7b1; --line: #343c43; --link: #7db8f5; --page: #15191d }
}
html { background: var(--page); color: var(--text); font: 1.0625rem/1.6 system-ui, sans-serif; text-size-adjust: 100% }
body { margin: 0 }
main { margin: 0 auto; max-width: 42rem; overflow-wrap: anywhere; padding: 3rem 1.25rem 5rem }
h1 { font-size: clamp(1.6rem, 7vw, 2.1rem); letter-spacing: -.015em; line-height: 1.15; margin: .2rem 0 .6rem }
h2 { border-top: 1px solid var(--line); font-size: 1.35rem; line-height: 1.3; margin: 3rem 0 1rem; padding-top: 2rem }
h3 { font-size: 1.0625rem; line-height: 1.4; margin: 1.5rem 0 .25rem }
p { margin: 0 0 .75rem; white-space: pre-line }
a { color: var(--link); text-underline-offset: .15em }
.description, .links, .note, thead, .address { color: var(--quiet) }
.description { font-size: .95rem; margin: 0 }
.links { display: flex; flex-wrap: wrap; font-size: .95rem; gap: .25rem 1.25rem; white-space: normal }
.address { text-decoration: none }
a.address:hover { text-decoration: underline }
table { border-collapse: collapse; margin-top: 2rem; width: 100% }
th, td { border-bottom: 1px solid var(--line); font-weight: inherit; padding: .55rem 0; text-align: start; vertical-align: top }
thead { font-size: .85rem }
td, thead th:last-child { font-variant-numeric: tabular-nums; padding-inline-start: 1.5rem; text-align: end; white-space: nowrap }
tbody .address { display: block; font-size: .8rem; line-height: 1.4; margin-top: .15rem }
section { scroll-margin-top: 1rem }
@media print {
  @page { margin: 2cm }
  :root { color-scheme: light; --text: #000; --quiet: #555; --line: #ccc; --link: #000; --page: #fff }
  html { font-size: 10pt }
  main { max-width: none; padding: 0 }
  a { text-decoration: none }
  .links a:last-child { display: none }
  h1, h2, h3 { break-after: avoid }
  tr, section > div > div { break-inside: avoid }
}
`
