import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, parse, relative, resolve } from 'node:path'
import { withoutControls } from '../../contract/describe.ts'
import { codeOf, toFileReason } from '../../server/file-errors.ts'
import { OptionError } from '../../world/options/option-error.ts'
import { printWarning } from '../print-error.ts'
import { openOwnFolder, removeWhole } from './own-folder.ts'
import { RunOutput } from './run-output.ts'
import type { RehearseSettings } from './settings.ts'

/** The folder with the output of the runs, and the sessions. */
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
   * Opens the folder beside the first report, or a temporary one.
   *
   * @throws OptionError where it has other files.
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
        `--report ${withoutControls(nested)}: It and the folder of --client-state must not be in each other, as both are emptied. Choose another name.`,
      )
    const opened = await openOwnFolder(path, '--report')
    return new RunFolder(opened, { isTemporary: false, isQuiet: quiet })
  }

  /** Its path for people: from the current folder, where it is below that. */
  get shown(): string {
    return withoutControls(isWithin(this.path, '') ? relative('', this.path) : this.path)
  }

  outputOf(name: string): RunOutput {
    const path = join(this.path, `${name}.log`)
    return new RunOutput(path, { onError: this.warnOf('The output of a run is cut.') })
  }

  /** Returns a function that warns once, on standard error, that something is not kept, and why. */
  warnOf(what: string): (error: unknown) => void {
    return (error) => {
      const isOfSystem = codeOf(error) !== '' || !(error instanceof Error)
      const reason = isOfSystem ? toFileReason(error) : error.message
      const text = `${this.shown}: ${what} ${withoutControls(reason)} The rehearsal goes on.`
      if (!this.#isQuiet && !this.#warned.has(text)) printWarning(text)
      this.#warned.add(text)
    }
  }

  /** Removes it unless the user named it. */
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
