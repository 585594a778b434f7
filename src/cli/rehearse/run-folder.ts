import { mkdtemp, chmod, lstat, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, parse, relative, resolve } from 'node:path'
import { closeSync, openSync, writeSync } from 'node:fs'
import { withoutControls } from '../../contract/text.ts'
import { errorCodeOf, toFileReason } from '../../server/file-errors.ts'
import { OptionError } from '../../world/options/option-error.ts'
import { printWarning } from '../print.ts'
import { createFolder } from '../write-reports.ts'
import type { RehearseSettings } from './command-stage.ts'

/** A folder with the output of each run, and a session for each month. */
export class RunFolder {
  readonly path: string
  readonly #isTemporary: boolean
  readonly #isQuiet: boolean
  readonly #warned = new Set<string>()

  private constructor(path: string, options: { isTemporary: boolean; isQuiet: boolean }) {
    this.path = path
    this.#isTemporary = options.isTemporary
    this.#isQuiet = options.isQuiet
  }

  /**
   * Opens the folder next to the first report; without reports, a temporary one.
   *
   * @throws OptionError if the folder cannot be used or has files that no rehearsal wrote, or if the folder or a report
   * overlaps with --client-state.
   */
  static async open({
    reports,
    clientState,
    served: { quiet = false },
  }: RehearseSettings): Promise<RunFolder> {
    const [first] = reports
    if (!first) {
      const path = await mkdtemp(join(tmpdir(), 'seo-sandbox-rehearsal-'))
      return new RunFolder(path, { isTemporary: true, isQuiet: quiet })
    }
    const path = join(dirname(first.path), `${parse(first.path).name}-runs`)
    const nested = [path, ...reports.map((report) => report.path)].find(
      (one) =>
        clientState !== undefined && (isWithin(one, clientState) || isWithin(clientState, one)),
    )
    if (nested !== undefined)
      throw new OptionError(
        `--report ${withoutControls(nested)}: This folder and that of --client-state must not contain each other, because both are emptied. Choose another name.`,
      )
    const opened = await openOwnFolder(path, '--report')
    return new RunFolder(opened, { isTemporary: false, isQuiet: quiet })
  }

  /** Display path of the folder, relative if it is inside the current folder. */
  get shown(): string {
    return withoutControls(isWithin(this.path, '') ? relative('', this.path) : this.path)
  }

  outputOf(name: string): RunOutput {
    const path = join(this.path, `${name}.log`)
    return new RunOutput(path, { onError: this.warnOf('The output of a run is incomplete.') })
  }

  /**
   * Returns an error handler that prints a warning unless `--quiet` is set, and no warning twice. `what` is its first
   * sentence.
   */
  warnOf(what: string): (error: unknown) => void {
    return (error) => {
      const isOfSystem = errorCodeOf(error) !== '' || !(error instanceof Error)
      const reason = isOfSystem ? toFileReason(error) : error.message
      const text = `${this.shown}: ${what} ${withoutControls(reason)} The rehearsal continues.`
      if (!this.#isQuiet && !this.#warned.has(text)) printWarning(text)
      this.#warned.add(text)
    }
  }

  /** Removes the folder if it is temporary. */
  async discard(): Promise<void> {
    if (this.#isTemporary) await this.remove()
  }

  async remove(): Promise<void> {
    await removeWhole(this.path)
  }
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(resolve(folder), resolve(path))
  return way === '' || !(way.startsWith('..') || resolve(way) === way)
}

/** Folder mode: sessions and output may contain data of customers. */
const OWNER_ONLY_FOLDER = 0o700

/** File that marks a folder as safe to empty. */
const MARKER = '.seo-sandbox-rehearsal'

const MARKED = 'seo-sandbox rehearse empties this folder each time it begins.\n'

/**
 * Creates a folder, accepts an empty one, or empties one from an earlier rehearsal. Returns its absolute path.
 *
 * @param source the option that named the folder, for the message: `--client-state`
 * @throws OptionError if the folder has files that no rehearsal wrote, or if it cannot be used
 */
export async function openOwnFolder(folder: string, source: string): Promise<string> {
  const path = resolve(folder)
  const shown = withoutControls(folder)
  try {
    await createFolder(path)
    const entries = await readdir(path)
    if (entries.length > 0 && !entries.includes(MARKER)) {
      throw new OptionError(
        `${source} ${shown}: A rehearsal empties this folder, and it has files that no rehearsal wrote. Name a new folder, or empty this one yourself.`,
      )
    }
    await emptyFolder(path)
    await chmod(path, OWNER_ONLY_FOLDER)
    await markFolder(path)
    return path
  } catch (error) {
    if (error instanceof OptionError || errorCodeOf(error) === '') throw error
    throw new OptionError(`${source} ${shown}: ${toFileReason(error)}`, { cause: error })
  }
}

/** Marks a folder as safe to empty. Does nothing if it is already marked or does not exist. */
export async function markFolder(path: string): Promise<void> {
  try {
    await writeFile(join(path, MARKER), MARKED, { flag: 'wx' })
  } catch (error) {
    if (!['EEXIST', 'ENOENT'].includes(errorCodeOf(error))) throw error
  }
}

/** Removes a file or folder, including read-only folders, which some caches create. */
async function removeWhole(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true })
  } catch (error) {
    if (errorCodeOf(error) !== 'EACCES') throw error
    await makeWritable(path)
    await rm(path, { recursive: true, force: true })
  }
}

async function makeWritable(path: string): Promise<void> {
  const entry = await lstat(path)
  if (!entry.isDirectory()) return
  await chmod(path, entry.mode | 0o700)
  for (const name of await readdir(path)) await makeWritable(join(path, name))
}

async function emptyFolder(path: string): Promise<void> {
  for (const name of await readdir(path)) {
    if (name !== MARKER) await removeWhole(join(path, name))
  }
}

/** Maximum number of bytes of the output that are kept from its start. */
const LARGEST_BYTES = 1_000_000
/** File mode: the output of a client may contain secrets. */
const OWNER_ONLY_FILE = 0o600
/** Maximum number of bytes of the output that are kept from its end. */
const TAIL_BYTES = 8192

interface OutputOptions {
  /** Called with the first error if the file cannot be written. */
  onError: (error: unknown) => void
}

/** The output of a run, written to a file. Of a long output, only the start and the end are kept. */
export class RunOutput {
  readonly path: string
  readonly #onError: OutputOptions['onError']
  #file: number | undefined
  #bytes = 0
  #tail = Buffer.alloc(0)
  #hasFailed = false
  readonly #notes: string[] = []

  constructor(path: string, { onError }: OutputOptions) {
    this.path = path
    this.#onError = onError
  }

  readonly take = (chunk: Buffer): void => {
    this.#write(chunk.subarray(0, Math.max(0, LARGEST_BYTES - this.#bytes)))
    this.#bytes += chunk.length
    this.#tail = Buffer.concat([this.#tail, chunk]).subarray(-TAIL_BYTES)
  }

  /** Adds a message from this program at the end of the file; `lastLines` leaves it out. */
  note(sentence: string): void {
    this.#notes.push(sentence)
  }

  /** Writes the end of a long output and the notes, then closes the file. */
  end(): void {
    const left = this.#bytes - LARGEST_BYTES
    if (left > 0) {
      const shown = this.#tail.subarray(-left)
      this.#write(Buffer.from(`\n[${left - shown.length} bytes left out]\n`))
      this.#write(shown)
    }
    for (const sentence of this.#notes) this.#write(Buffer.from(`seo-sandbox: ${sentence}\n`))
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  /** Returns the last `count` non-empty lines of the output, or fewer. */
  lastLines(count: number): string[] {
    const lines = this.#tail.toString('utf8').split(/\r?\n|\r/)
    return lines
      .map((line) => withoutControls(line.trimEnd()))
      .filter((line) => line !== '')
      .slice(-count)
  }

  #write(bytes: Buffer): void {
    if (this.#hasFailed || bytes.length === 0) return
    try {
      this.#file ??= openSync(this.path, 'w', OWNER_ONLY_FILE)
      writeSync(this.#file, bytes)
    } catch (error) {
      this.#hasFailed = true
      this.#onError(error)
    }
  }
}
