import { KEYWORDS_PER_PROJECT } from '../generated-ids.ts'
import type { KeywordRecord } from '../../contract/keyword.ts'
import { toDateTime } from '../../contract/moments.ts'
import { phrasesOf } from './phrases.ts'
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
  return phrases.map((keyword, index) => ({
    id: plan.id * KEYWORDS_PER_PROJECT + index + 1,
    project: plan.id,
    keyword,
    create_date: toDateTime(created + random.next() ** 3 * (context.loadedMs - created)).slice(
      0,
      10,
    ),
    url: random.chance(0.9) ? `https://${plan.domain}/${random.pick(plan.trade.pages)}` : null,
    latest_position: null,
    status_200: random.chance(0.9) ? random.chance(0.96) : null,
    active: !random.chance(INACTIVE_SHARE),
  }))
}

/** Distinct phrases that fit the trade: for its own city and, if those are too few, for others. */
function pickPhrases(count: number, { trade, city, words }: ProjectPlan, random: Random): string[] {
  const phrases = new Set<string>()
  for (const place of [city, ...words.cities]) {
    const candidates = phrasesOf(trade, place)
    while (candidates.length > 0 && phrases.size < count) {
      const [phrase = ''] = candidates.splice(random.integer(0, candidates.length - 1), 1)
      phrases.add(phrase)
    }
    if (phrases.size === count) break
  }
  return [...phrases]
}
