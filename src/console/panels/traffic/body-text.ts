/** So much of a text is shown; laying out more would take the page longer than anybody reads. */
const SHOWN_LENGTH = 20_000

/** Up to here JSON is indented for reading. */
const INDENTED_LENGTH = 200_000

/** A body for reading: JSON with a line for each field, and the end of a long one left out. */
export function toReadable(body: string): { text: string; omitted: number } {
  const text = body.length <= INDENTED_LENGTH ? indent(body) : body
  return { text: text.slice(0, SHOWN_LENGTH), omitted: Math.max(0, text.length - SHOWN_LENGTH) }
}

function indent(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
