/** A page of the documentation, as listed in docs/README.md. */
export interface DocsPage {
  /** Its path below docs. */
  path: string
  /** Its contents. */
  about: string
}

/** The pages of docs/README.md in its order; the title describes a page that has nothing after its title. */
export function toDocsIndex(readme: string): DocsPage[] {
  const lines = readme.matchAll(/^- \[(?<title>[^\]]+)\]\((?<path>[^)]+)\)(?:: (?<about>.*))?$/gm)
  return [...lines].map(({ groups = {} }) => {
    const { title = '', path = '', about = title } = groups
    return { path, about }
  })
}
