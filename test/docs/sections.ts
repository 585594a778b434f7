/** A fenced block of a Markdown text. */
export interface Block {
  /** The text after the opening fence: `sh`, `ts`, … or empty. */
  language: string
  code: string
  /** The number of the first line of its code, counting from 1. */
  line: number
}

/** The content under one heading, of any level. */
export interface Section {
  heading: string
  blocks: Block[]
}

/** The sections of a Markdown text that have blocks, in order. */
export function readSections(markdown: string): Section[] {
  const sections: Section[] = []
  let section: Section = { heading: 'the beginning', blocks: [] }
  let open: { fence: string; block: Block } | undefined
  for (const [index, line] of markdown.split('\n').entries()) {
    const [, fence = '', language = ''] = /^\s*(`{3,}|~{3,})\s*(.*)$/.exec(line) ?? []
    const heading = /^#+ +(.+)$/.exec(line)?.[1]
    if (open && line.trim() === open.fence) {
      open = undefined
    } else if (open) {
      open.block.code += `${line}\n`
    } else if (fence) {
      if (section.blocks.length === 0) sections.push(section)
      open = { fence, block: { language: language.trim(), code: '', line: index + 2 } }
      section.blocks.push(open.block)
    } else if (heading) {
      section = { heading, blocks: [] }
    }
  }
  return sections
}
