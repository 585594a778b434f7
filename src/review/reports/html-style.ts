/** The style of the page, which its policy allows by its hash: a test names the new one when this changes. */
export const STYLE = `
:root { color-scheme: light dark; --text: #1d2329; --quiet: #5b6670; --line: #dde2e6; --page: #fff; --raised: #f6f8f9; --passed: #187a4b; --warning: #8a5a00; --failed: #b3261e; --link: #0b5cad }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6eaed; --quiet: #9ba7b1; --line: #343c43; --page: #15191d; --raised: #1d2329; --passed: #5cc792; --warning: #e0b25a; --failed: #ff8a80; --link: #7db8f5 }
}
html { background: var(--page); color: var(--text); font: 1rem/1.55 system-ui, sans-serif; text-size-adjust: 100% }
body { margin: 0 }
main { margin: 0 auto; max-width: 48rem; overflow-wrap: anywhere; padding: 2rem 1rem 4rem }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .5rem }
h2 { border-top: 1px solid var(--line); font-size: 1.25rem; margin: 2.5rem 0 1rem; padding-top: 1.5rem }
h3 { font-size: 1rem; margin: 1.5rem 0 .5rem }
h3 .quiet { font-weight: 400 }
p { margin: 0 0 .5rem }
ul { margin: 0 0 .5rem; padding-left: 1.25rem }
code { font: .875em/1.5 ui-monospace, monospace; unicode-bidi: isolate }
.summary { font-size: 1.125rem }
.quiet { color: var(--quiet) }
.passed { color: var(--passed) }
.failed { color: var(--failed) }
.warning, .notice { color: var(--warning) }
.passed, .failed, .warning, .notice { font-weight: 600 }
.scores { display: flex; flex-wrap: wrap; gap: 1rem; list-style: none; margin-bottom: 1rem; padding: 0 }
.scores li { flex: 1 1 8rem; text-align: center }
.scores svg { display: block; margin: 0 auto .25rem }
.scores strong { display: block }
.finding { background: var(--raised); border-radius: .5rem; margin: 0 0 .75rem; padding: .75rem 1rem }
.wide { overflow-x: auto }
table { border-collapse: collapse; overflow-wrap: normal; width: 100% }
th, td { border-bottom: 1px solid var(--line); padding: .4rem .75rem .4rem 0; text-align: start; vertical-align: top }
th { font-weight: 600 }
td { font-variant-numeric: tabular-nums; white-space: nowrap }
thead { color: var(--quiet); font-size: .875rem }
summary { cursor: pointer; margin: 1rem 0 .5rem }
@media print {
  @page { margin: 1.5cm }
  :root { color-scheme: light; --text: #000; --quiet: #444; --line: #ccc; --page: #fff; --raised: #fff; --passed: #187a4b; --warning: #8a5a00; --failed: #b3261e }
  html { font-size: 10pt }
  main { max-width: none; padding: 0 }
  h2, h3 { break-after: avoid }
  .finding, tr, .scores { break-inside: avoid }
  .finding { border: 1px solid var(--line) }
  .wide { overflow: visible }
  .wide svg { height: auto; max-width: 100% }
}
`

/** The SHA-256 of the style in Base64. */
export const STYLE_HASH = 'Njp4IV8FviPKrZEeMt3nspSKFebTLamgiNqZE2KwHJM='
