/**
 * Style of the frame with a report's HTML. The page's content security policy allows this style by `FRAME_STYLE_HASH` of
 * `server/console-page.ts`.
 */
export const FRAME_STYLE = `
body { margin: 0; color: light-dark(#1c1d1f, #e9e9e6); font: 14px/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
h1, h2, h3, h4 { margin: 12px 0 2px; font-size: 1em }
p { margin: 0 0 8px }
a { color: light-dark(#2453d6, #8fabff) }
`
