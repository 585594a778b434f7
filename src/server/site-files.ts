import { readPart } from './read-part.ts'

/** What a static site is made of, which the build lists. */
const LIST = new URL('../../build/shared/site-files.json', import.meta.url)

interface SiteParts {
  /** The console's page. */
  html: string
  /** The console's scripts and styles, and the workers with the sandbox, by their names in the site. */
  files: Map<string, Uint8Array>
}

/** Reads the files of the package that every static site has. */
export async function readSiteFiles(): Promise<SiteParts> {
  const list = JSON.parse((await readPart(LIST)).toString()) as { html: string; files: string[] }
  const files = await Promise.all(
    list.files.map(
      async (name) =>
        [name.replace(/^console\/console\//, 'console/'), await readPart(partOf(name))] as const,
    ),
  )
  return { html: list.html, files: new Map(files) }
}

/** The list names files below the parent of its own folder. */
function partOf(name: string): URL {
  return new URL(`../${name}`, LIST)
}
