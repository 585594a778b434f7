import { Cache } from '../contract/cache.ts'
import type { ProjectRecord } from '../contract/project.ts'
import type { SearchPattern } from './search.ts'

/** The fields of a project that a search looks at. */
type Searched = Pick<ProjectRecord, 'name' | 'domain'>

const FIELDS = 2

/** Ends each field. A match never extends beyond it, so fields may contain it too. */
const END = '\n'

/** The names and domains of a list of projects as one text: searching it costs a fraction of searching each. */
export class SearchText {
  readonly #text: string
  /** Where each field starts in the text, the name of a project ahead of its domain; the length of the text at the end. */
  readonly #starts: Uint32Array

  constructor(projects: readonly Searched[], fold: SearchPattern['fold']) {
    const starts = new Uint32Array(projects.length * FIELDS + 1)
    let length = 0
    const pieces = projects.map((project, index) => {
      const name = fold(project.name)
      // An empty text can stand for no domain: whatever matches it matches every name too.
      const domain = fold(project.domain ?? '')
      starts[index * FIELDS + 1] = length += name.length + END.length
      starts[index * FIELDS + 2] = length += domain.length + END.length
      return `${name}${END}${domain}${END}`
    })
    this.#text = pieces.join('')
    this.#starts = starts
  }

  get length(): number {
    return this.#text.length
  }

  /** The positions in the list of the projects that match, ascending. */
  find({ runs, isMatch }: SearchPattern): number[] {
    const text = this.#text
    const found: number[] = []
    const count = this.#starts.length - 1
    let field = 0
    while (field < count) {
      const next = this.#nextWith(runs, field)
      if (next !== field) {
        field = next
      } else if (!isMatch || isMatch(text, this.#startOf(field), this.#endOf(field))) {
        const index = Math.floor(field / FIELDS)
        found.push(index)
        field = (index + 1) * FIELDS
      } else {
        field += 1
      }
    }
    return found
  }

  /** This field if it contains the runs; otherwise the next one that may, as no field in between has the run it lacks. */
  #nextWith(runs: readonly string[], field: number): number {
    const text = this.#text
    const end = this.#endOf(field)
    let position = this.#startOf(field)
    for (const run of runs) {
      const at = text.indexOf(run, position)
      if (at === -1) return this.#starts.length - 1
      position = at + run.length
      if (position > end) return at > end ? this.#fieldAt(at, field + 1) : field + 1
    }
    return field
  }

  /** The field that a position is in: `from` or a later one, usually one of the next. */
  #fieldAt(position: number, from: number): number {
    let low = from
    let step = 1
    while (this.#startOf(low + step) <= position) {
      low += step
      step *= 2
    }
    let high = Math.min(low + step, this.#starts.length - 1)
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if (this.#startOf(middle) <= position) low = middle
      else high = middle
    }
    return low
  }

  #startOf(field: number): number {
    return this.#starts[field] ?? Infinity
  }

  #endOf(field: number): number {
    return this.#startOf(field + 1) - END.length
  }
}

/** A list of projects, in this order at a revision of the records. */
export interface SearchedList {
  name: string
  revision: number
  projects: readonly ProjectRecord[]
}

/**
 * A generated project is in at most four lists: those of its agency or all, and of its status or any. It has 50 characters in
 * each, so the lists of 150,000 projects fit.
 */
const LIMITS = { entries: 200, size: 32_000_000 }

/** Searches lists of projects, keeping the text of each until the records change. */
export class ProjectSearch {
  readonly #texts = new Cache<string, SearchText>({ ...LIMITS, sizeOf: (_, { length }) => length })

  /** The projects that match, in the order of the list. */
  find({ name, revision, projects }: SearchedList, pattern: SearchPattern): ProjectRecord[] {
    // Clients can name any number of empty lists; the others are few.
    if (projects.length === 0) return []
    const texts = this.#texts.at(revision)
    const key = `${pattern.form} ${name}`
    let text = texts.get(key)
    if (!text) {
      text = new SearchText(projects, pattern.fold)
      texts.set(key, text)
    }
    return text.find(pattern).map((index) => projects[index] as ProjectRecord)
  }
}
