/** A page of the documentation, as docs/README.md lists it. */
export interface DocsPage {
  /** Its path below docs. */
  path: string
  /** What is on it. */
  about: string
}

/** The pages of docs/README.md in its order; one that has nothing after its title is described by that. */
export function toDocsIndex(readme: string): DocsPage[] {
  const lines = readme.matchAll(/^- \[(?<title>[^\]]+)\]\((?<path>[^)]+)\)(?:: (?<about>.*))?$/gm)
  return [...lines].map(({ groups = {} }) => {
    const { title = '', path = '', about = title } = groups
    return { path, about }
  })
}
