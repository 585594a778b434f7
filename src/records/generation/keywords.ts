import type { KeywordRecord } from '../../contract/keyword.ts'
import { toDateTime, parseMonth } from '../../contract/time.ts'
import { KEYWORDS_PER_PROJECT } from '../generated-ids.ts'
import { createRandom } from '../random.ts'
import type { Random } from '../random.ts'
import { brandPhrasesOf, namesCompany, phrasesOf } from './phrases.ts'
import type { TypedPhrase } from './phrases.ts'
import { pickInRange } from './project-plan.ts'
import type { ProjectPlan, GenerationContext } from './project-plan.ts'
import { toSlug } from './slug.ts'

const INACTIVE_SHARE = 0.06

/** Generates the keywords of a project, still without their positions, in ascending order of id. */
export function generateKeywords(plan: ProjectPlan, context: GenerationContext): KeywordRecord[] {
  const random = createRandom(context.seed, 'keywords', plan.id)
  const phrases = pickPhrases(pickInRange(context.options.keywords, random), plan, random)
  const created = plan.createdMs
  return phrases.map(({ phrase: keyword, service }, index) => ({
    id: plan.id * KEYWORDS_PER_PROJECT + index + 1,
    project: plan.id,
    keyword,
    create_date: toDateTime(created + random.next() ** 3 * (context.loadedMs - created)).slice(
      0,
      10,
    ),
    url: random.chance(0.9) ? `https://${plan.domain}/${service ? toSlug(service) : ''}` : null,
    latest_position: null,
    status_200: random.chance(0.9) ? random.chance(0.96) : null,
    active: !random.chance(INACTIVE_SHARE),
  }))
}

/**
 * Returns up to `count` distinct phrases, or all that a fixture lists for the company if these are more. Listed phrases come first,
 * then phrases with the name of the company if a fixture names it, then phrases of its trade: in its own city before other cities.
 */
function pickPhrases(count: number, plan: ProjectPlan, random: Random): TypedPhrase[] {
  const phrases = fixturePhrasesOf(count, plan)
  const known = new Set(phrases.map(({ phrase }) => phrase.toLowerCase()))
  const { trade, city, words } = plan
  if (!trade) return phrases
  for (const place of [city, ...words.cities]) {
    const candidates = phrasesOf(trade, place).filter(({ phrase }) => !known.has(phrase))
    while (candidates.length > 0 && phrases.length < count) {
      const [picked] = candidates.splice(random.integer(0, candidates.length - 1), 1)
      known.add((picked as TypedPhrase).phrase)
      phrases.push(picked as TypedPhrase)
    }
    if (phrases.length >= count) break
  }
  return phrases
}

/**
 * Maximum number of generated keywords with the name of a company that a fixture names. It does not apply to a company without a
 * trade, because all of its generated keywords contain its name.
 */
const MAXIMUM_BRAND_PHRASES = 3

/** Returns the phrases that a fixture lists for a company, and some with its name; none for a generated company. */
function fixturePhrasesOf(
  count: number,
  { fixturePhrases, trade, company, city, words }: ProjectPlan,
): TypedPhrase[] {
  if (!fixturePhrases) return []
  const known = new Set(fixturePhrases.map(({ phrase }) => phrase.toLowerCase()))
  const named = brandPhrasesOf(words, company, city).filter(({ phrase }) => !known.has(phrase))
  const room = Math.max(0, count - fixturePhrases.length)
  return [
    ...fixturePhrases,
    ...named.slice(0, Math.min(room, trade ? MAXIMUM_BRAND_PHRASES : room)),
  ]
}

/** Interval at which drift is drawn; in between, it is interpolated. */
const DRIFT_INTERVAL_MONTHS = 4
/** Maximum drift up or down, as a share of the first standing. */
const MAXIMUM_DRIFT = 0.12
/** Total gain in the long run, as a share of the first standing. */
const GAIN = 0.3
const MONTHS_TO_HALF_GAIN = 10
/** Maximum first standing of a keyword. A standing above 1 means no position among the first hundred results. */
const WORST_STANDING = 1.25
const LAST_POSITION = 100

/** The reciprocal of the golden ratio. The fractional parts of its multiples are spread evenly, however many there are. */
const GOLDEN = (Math.sqrt(5) - 1) / 2

interface PositionKeys {
  /** Number of months since January of the year 0. */
  month: number
  seed: string
  /** Factor for the standing; below 1, the keyword ranks better. */
  factor: number
  /** True to spread first standings evenly, so that a few keywords suffice to show the course of their project. */
  isSpread: boolean
  /** Name of a company that a fixture names; undefined for a generated company. */
  company: string | undefined
}

/** The worst position of a company in searches for its own name. */
const WORST_FOR_OWN_NAME = 8
/** Number of positions over which first standings for the company's own name are spread. */
const RANGE_FOR_OWN_NAME = 4

export function withPositions(
  keywords: readonly KeywordRecord[],
  keys: PositionKeys,
): KeywordRecord[] {
  return keywords.map((keyword) => ({ ...keyword, latest_position: positionIn(keyword, keys) }))
}

/**
 * Returns the position of a keyword in a month; null up to and including the month of its creation, and beyond the hundredth
 * position. The same keys always yield the same position. Standings are spread evenly, but about half of all positions are among
 * the first twenty, and good positions move less. A keyword with the name of `company` ranks near the top.
 */
export function positionIn(
  { id, project, keyword, create_date: created }: KeywordRecord,
  { month, seed, factor, isSpread, company }: PositionKeys,
): number | null {
  const age = month - parseMonth(created)
  if (age <= 0) return null
  const gained = (GAIN * age) / (age + MONTHS_TO_HALF_GAIN)
  const drift = driftIn(month, (anchor) => createRandom(seed, 'drift', id, anchor))
  const first = isSpread
    ? (createRandom(seed, 'position', project).next() + id * GOLDEN) % 1
    : createRandom(seed, 'position', id).next()
  const share = first * (1 - gained + drift) * factor
  if (company !== undefined && namesCompany(keyword, company))
    return Math.min(WORST_FOR_OWN_NAME, 1 + Math.floor(RANGE_FOR_OWN_NAME * share))
  const standing = share * WORST_STANDING
  if (standing > 1) return null
  return (
    1 + Math.floor((LAST_POSITION - 1) * (0.15 * standing + 0.85 * standing * standing * standing))
  )
}

function driftIn(month: number, randomAt: (anchor: number) => Random): number {
  const anchor = Math.floor(month / DRIFT_INTERVAL_MONTHS)
  const share = month / DRIFT_INTERVAL_MONTHS - anchor
  const at = (place: number) => (randomAt(place).next() * 2 - 1) * MAXIMUM_DRIFT
  return at(anchor) * (1 - share) + at(anchor + 1) * share
}
