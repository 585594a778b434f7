import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { escapeHtml, toShownJson, withoutControls } from '../contract/text.ts'
import { VERSION } from '../contract/version.ts'
import { parseYaml } from '../fixtures/parse-yaml.ts'
import type { FixtureFiles } from '../fixtures/source.ts'
import { createSandbox } from '../sandbox/create-sandbox.ts'
import type { SandboxOptions } from '../sandbox/sandbox.ts'
import { readDocuments, readPostman, readSiteFiles } from '../server/package-files.ts'
import { overwriteFile } from '../server/replace-file.ts'
import { PAGE_POLICY } from '../server/console-page.ts'
import { atFile } from '../server/file-errors.ts'
import type { Site } from '../tab/site.ts'
import { OptionError } from '../world/options/option-error.ts'
import type { Flags } from './cli-command.ts'
import { quote } from './print.ts'
import { count } from '../wording/count.ts'
import { EXPORT_OPTIONS, EXPORT_SERVE_OPTIONS } from './command-options.ts'
import { openFixtures, createProgress } from './command-progress.ts'
import type { CommandProgress } from './command-progress.ts'
import type { ServeSettings } from './serve-options.ts'
import { readSettings } from './read-settings.ts'
import { toLibraryOptions } from './start-from-settings.ts'

/** File that marks a folder as an exported site. */
const SITE_FILE = 'site.json'

/** Written after the files to which it refers. */
const PAGE = 'index.html'
/** Written last, because it tells browsers of a new release. */
const SERVICE_WORKER = 'service-worker.js'

/**
 * `seo-sandbox export`: writes a static site with its own sandbox, a Postman collection, or both.
 *
 * @throws OptionError, and FixtureError for the fixtures of the site's world.
 */
export async function exportFiles(flags: Flags): Promise<void> {
  const { out, postman, json } = flags as Record<string, string | undefined>
  if (out === undefined) refuseWithoutSite(flags)
  const site = out === undefined ? undefined : await exportSite(flags, out)
  const collection = postman === undefined ? undefined : await exportPostman(postman)
  const written = { ...site, ...(collection && { postman: collection }) }
  process.stdout.write(
    json
      ? `${toShownJson(written)}\n`
      : `${site ? describeWritten(site) : ''}${collection ? describePostman(collection) : ''}`,
  )
}

function refuseWithoutSite(flags: Flags): void {
  if (flags['postman'] === undefined)
    throw new OptionError(
      '--out: Name the folder to write the site to. For a Postman collection alone, use --postman.',
    )
  const name = ['title', 'base', ...EXPORT_SERVE_OPTIONS].find((one) => flags[one] !== undefined)
  if (name === undefined) return
  throw new OptionError(`--${name}: This option is for a site. Leave it out, or add --out.`)
}

async function exportSite(flags: Flags, out: string): Promise<Written> {
  const { title = EXPORT_OPTIONS.title.default, base } = flags as Record<string, string | undefined>
  if (title.trim() === '') throw new OptionError('--title: Write a title, or leave it out.')
  const progress = createProgress()
  const { settings } = await readSettings(flags)
  const loaded = await readOptions(settings, progress).finally(() => progress.end())
  // Created to count the projects, and to report errors now rather than to visitors of the site.
  const sandbox = await createSandbox(loaded)
  const options = toPlainOptions(loaded)
  const site: Site = { version: VERSION, title, digest: siteDigestOf(options), options }
  const files = await toFiles(site, toBase(base))
  const bytes = await atFile(`--out ${out}`, 'written', () => writeSite(resolve(out), files))
  const { length: projects } = sandbox.world.records.all('projects')
  return { folder: out, files: files.size, bytes, projects, digest: site.digest }
}

async function exportPostman(file: string): Promise<WrittenPostman> {
  const collection = await readPostman()
  const text = `${JSON.stringify(collection, null, 2)}\n`
  await atFile(`--postman ${file}`, 'written', () => overwriteFile(file, text))
  const requests = collection.item.reduce((sum, { item }) => sum + item.length, 0)
  return { file, requests, bytes: Buffer.byteLength(text) }
}

interface WrittenPostman {
  file: string
  requests: number
  bytes: number
}

function describePostman({ file, requests }: WrittenPostman): string {
  return `Wrote ${withoutControls(file)}: a Postman collection with ${count(requests, 'request')}. Its variables are base_url and token; Bruno and Insomnia can also import it.\n`
}

interface Written {
  folder: string
  files: number
  bytes: number
  projects: number
  digest: string
}

function describeWritten({ folder, files, bytes, projects }: Written): string {
  const size = `${files} files, ${(bytes / 1e6).toFixed(1)} MB`
  return `Wrote ${withoutControls(folder)}: a site of ${size}, with a world of ${count(projects, 'project')}. Any web host can serve it; to look at it: npx serve ${withoutControls(quote(folder))}\n`
}

async function readOptions(
  settings: ServeSettings,
  progress: CommandProgress,
): Promise<SandboxOptions> {
  const wanted = Object.fromEntries(
    EXPORT_SERVE_OPTIONS.flatMap((name) =>
      settings[name] === undefined ? [] : [[name, settings[name]]],
    ),
  ) as ServeSettings
  const { fixtures } = wanted
  const options = {
    ...toLibraryOptions(wanted),
    ...(fixtures && { fixtures: await openFixtures(fixtures, progress) }),
  }
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

/**
 * Returns the options as JSON values. A single fixture file becomes data, so that pages need not parse YAML; several files stay
 * text, because they have to be merged.
 */
function toPlainOptions(options: SandboxOptions): SandboxOptions {
  const { files = [] } = (options.fixtures ?? {}) as Partial<FixtureFiles>
  const [file, ...others] = files
  const source = file && others.length === 0 ? parseYaml(file) : undefined
  const fixtures = source && !Array.isArray(source) ? source.document : { files }
  const plain = { ...options, ...(file && { fixtures }) }
  return JSON.parse(JSON.stringify(plain)) as SandboxOptions
}

function siteDigestOf(options: SandboxOptions): string {
  return createHash('sha256').update(JSON.stringify(options)).digest('hex').slice(0, 16)
}

function toBase(base: string | undefined): string {
  if (base === undefined) return '.'
  if (/^\/(?:[\w.~%-]+\/)*[\w.~%-]*$/.test(base)) return base.replace(/\/$/, '')
  throw new OptionError(`--base: ${toShownJson(base)} is not a path. Write one like /sandbox/.`)
}

/** Returns the files of a site, in the order in which they are written. */
async function toFiles(site: Site, base: string): Promise<Map<string, string | Uint8Array>> {
  const { html, files: parts } = await readSiteFiles()
  const worker = [...parts.keys()].find((name) => /\/worker-[\w-]+\.js$/.test(name)) ?? ''
  const serviceWorker = parts.get(`site/${SERVICE_WORKER}`) ?? ''
  parts.delete(`site/${SERVICE_WORKER}`)
  const { api, control } = await readDocuments(base)
  const files = new Map<string, string | Uint8Array>([
    ...parts,
    ['openapi.json', JSON.stringify(api)],
    ['control-openapi.json', JSON.stringify(control)],
    [SITE_FILE, JSON.stringify(site)],
    [PAGE, toPage(html, { ...site, worker })],
  ])
  const names = [...files.keys()]
  const id = createHash('sha256')
  for (const [name, content] of files) id.update(`${name}\0`).update(content)
  // Some hosts redirect index.html to its folder, and browsers cannot show a redirected response from a cache.
  const cached = names.map((name) => (name === PAGE ? './' : name))
  const release = JSON.stringify({ id: id.digest('hex').slice(0, 16), files: cached })
  files.set(SERVICE_WORKER, `self.SITE = ${release};\n${Buffer.from(serviceWorker).toString()}`)
  return files
}

function toPage(html: string, { title, worker }: { title: string; worker: string }): string {
  const head = `<meta http-equiv="Content-Security-Policy" content="${PAGE_POLICY}">
    <meta name="seo-sandbox-worker" content="${worker}">`
  return html
    .replace('<meta charset="utf-8" />', (charset) => `${charset}\n    ${head}`)
    .replace(/<title>.*<\/title>/, () => `<title>${escapeHtml(title)}</title>`)
    .replace(/<noscript>.*<\/noscript>/, () => `<p class="unserved">${UNSERVED}</p>`)
}

const UNSERVED =
  'This page needs JavaScript and a web host: browsers do not run it from a file. Any static host will do, including one on this machine.'

/** Writes a site, and replaces an earlier export. Returns the size of the site in bytes. @throws OptionError */
async function writeSite(
  folder: string,
  files: ReadonlyMap<string, string | Uint8Array>,
): Promise<number> {
  await mkdir(folder, { recursive: true })
  const old = new Set(await readOldFiles(folder))
  let bytes = 0
  for (const [name, content] of files) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content)
    old.delete(path)
    bytes += Buffer.byteLength(content)
  }
  for (const path of old) await rm(path)
  return bytes
}

/**
 * Returns the paths of the files in `console` and `site` of an earlier export; empty for an empty folder.
 *
 * @throws OptionError if the folder has files, but not those of an export.
 */
async function readOldFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name))
  if (paths.length === 0) return []
  const site = await readFile(join(folder, SITE_FILE), 'utf8').catch(() => '')
  if (site.includes('"digest"') && paths.includes(join(folder, SERVICE_WORKER))) {
    const folders = ['console', 'site'].map((name) => join(folder, name, sep))
    return paths.filter((path) => folders.some((start) => path.startsWith(start)))
  }
  throw new OptionError(
    `--out ${withoutControls(folder)}: It has files that export did not write. Name a new folder, or empty this one yourself.`,
  )
}
