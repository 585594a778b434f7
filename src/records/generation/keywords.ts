import { KEYWORDS_PER_PROJECT } from '../generated-ids.ts'
import type { KeywordRecord } from '../../contract/keyword.ts'
import { toDateTime } from '../../contract/moments.ts'
import { brandPhrasesOf, phrasesOf } from './phrases.ts'
import type { TypedPhrase } from './phrases.ts'
import { toSlug } from './slug.ts'
import { pickInRange } from './plan.ts'
import type { ProjectPlan, GenerationContext } from './plan.ts'
import { createRandom } from '../random.ts'
import type { Random } from '../random.ts'

const INACTIVE_SHARE = 0.06

/** The keywords of a project, by ascending id. */
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
 * Distinct phrases: those that a fixture states and some with the name of its company, then those that fit the trade, for its
 * own city and, if those are too few, for others.
 */
function pickPhrases(count: number, plan: ProjectPlan, random: Random): TypedPhrase[] {
  const phrases = statedPhrases(count, plan)
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

/** How many keywords have the name of a company whose trade has keywords of its own. */
const WITH_NAME = 3

/** The phrases that a fixture states for a company, and some with its name; none for a generated company. */
function statedPhrases(
  count: number,
  { stated, trade, company, city, words }: ProjectPlan,
): TypedPhrase[] {
  if (!stated) return []
  const known = new Set(stated.map(({ phrase }) => phrase.toLowerCase()))
  const named = brandPhrasesOf(words, company, city).filter(({ phrase }) => !known.has(phrase))
  const room = Math.max(0, count - stated.length)
  return [...stated, ...named.slice(0, Math.min(room, trade ? WITH_NAME : room))]
}
