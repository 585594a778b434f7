/** Pieces of the Markdown pages that are derived from the source. */

export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(columns), row(columns.map(() => '---')), ...rows.map(row)].join('\n')
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ')).join(' | ')} |`
}

export function code(text: string): string {
  return `\`${text}\``
}

/**
 * A page with a text between the two comments that name it.
 *
 * @throws Error for a page without these comments.
 */
export function withPart(page: string, name: string, text: string): string {
  const [start, end] = [`<!-- ${name}, written by npm run generate -->`, `<!-- end of ${name} -->`]
  const [before, after] = [page.indexOf(start), page.indexOf(end)]
  if (before === -1 || after < before) throw new Error(`The page has no place for "${name}".`)
  return `${page.slice(0, before)}${start}\n${text}\n${page.slice(after)}`
}
