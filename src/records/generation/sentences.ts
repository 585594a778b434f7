import type { H3TextBlock } from '../../contract/report.ts'
import type { Random } from '../random.ts'
import type { Topic } from './phrases.ts'
import { canRender, parseTemplates, render } from './templates.ts'
import type { Template, Values } from './templates.ts'
import type { Words } from './words.ts'

const BLOCKS = 2
const CLOSING_SHARE = 0.35
const NONE: readonly string[] = []

/**
 * A text put together of sentences, for trades without paragraphs. The first block begins with the phrase, the other one with
 * what there is to say about its service.
 */
export function composeText(
  { intent, trade, service, isListed, title }: Topic,
  values: Values,
  { words, random }: { words: Words; random: Random },
): H3TextBlock[] {
  const { sentences } = words
  if (!sentences) return [{ h3: title, text: title }]
  const draft = new Draft(values, random)
  const draw = (list: readonly string[]) => draft.draw(list)

  const own = trade?.sentences
  const around = isListed ? NONE : sentences.around
  const facts = service === undefined ? NONE : (own?.services[service] ?? NONE)
  const body = () => draw(facts) ?? draw(own?.any ?? around) ?? draw(sentences.middles)
  const others = service === undefined ? (own?.any ?? around) : NONE
  const aside = () => {
    const share = random.next()
    if (share < 0.35) return draw(others) ?? draw(sentences.advice[intent])
    if (share < 0.6) return draw(sentences.advice[intent])
    if (share < 0.74) return draw(sentences.details)
    return share < 0.88 && !trade?.isMobile ? draw(sentences.premises) : draw(sentences.middles)
  }

  const headings = isListed ? words.headings[intent] : words.around.headings
  const openings = sentences.openings[isListed ? intent : 'around']
  return Array.from({ length: BLOCKS }, (_, number) => {
    draft.startBlock()
    const isFirst = number === 0
    const h3 = isFirst ? draw(headings) : draw(sentences.sections)
    const drawn = [
      isFirst ? draw(openings) : undefined,
      body(),
      isFirst ? draw(sentences.advice[intent]) : aside(),
      !isFirst && random.chance(0.4) ? aside() : undefined,
      random.chance(CLOSING_SHARE) ? draw(sentences.closings) : undefined,
    ]
    return { h3: h3 ?? title, text: drawn.filter(Boolean).join(' ') }
  })
}

/** What is drawn for one text: no template twice, and none with the phrase once a block has it twice. */
class Draft {
  readonly #values: Values
  readonly #random: Random
  readonly #used = new Set<Template>()
  #mentions = 0

  constructor(values: Values, random: Random) {
    this.#values = values
    this.#random = random
  }

  startBlock(): void {
    this.#mentions = 0
  }

  /** Undefined once a list has no template left that fits. */
  draw(list: readonly string[]): string | undefined {
    const templates = parseTemplates(list)
    const first = templates.length === 0 ? 0 : this.#random.integer(0, templates.length - 1)
    for (let step = 0; step < templates.length; step += 1) {
      const template = templates[(first + step) % templates.length] as Template
      if (this.#used.has(template) || !this.#fits(template)) continue
      this.#used.add(template)
      if (mentionsPhrase(template)) this.#mentions += 1
      return render(template, this.#values, this.#random)
    }
    return undefined
  }

  #fits(template: Template): boolean {
    if (this.#mentions === MAXIMUM_MENTIONS && mentionsPhrase(template)) return false
    return canRender(template, this.#values)
  }
}

const MAXIMUM_MENTIONS = 2

function mentionsPhrase({ needs }: Template): boolean {
  return needs.includes('phrase') || needs.includes('Phrase')
}
