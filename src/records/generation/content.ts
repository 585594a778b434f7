import type { KeywordRecord } from '../../contract/keyword.ts'
import type { H3TextBlock } from '../../contract/report.ts'
import type { Copy } from './copy.ts'
import type { ProjectPlan } from './plan.ts'
import { createRandom } from '../random.ts'

/** The text of one keyword in one report: a few blocks of a few sentences. */
export function generateContent(
  reportId: number,
  keyword: KeywordRecord,
  { company, city, trade }: Pick<ProjectPlan, 'company' | 'city' | 'trade'>,
  { seed, copy }: { seed: string; copy: Copy },
): H3TextBlock[] {
  const random = createRandom(seed, 'content', reportId, keyword.id)
  const service = random.pick(trade.services)
  const fill = (template: string) =>
    template
      .replaceAll('{company}', company)
      .replaceAll('{city}', city)
      .replaceAll('{service}', service)
  const pickDifferent = (list: readonly string[], known: Set<string>): string => {
    const fresh = list.filter((item) => !known.has(item))
    const item = random.pick(fresh.length > 0 ? fresh : list)
    known.add(item)
    return fill(item)
  }
  const used = new Set<string>()
  return Array.from({ length: random.integer(2, 4) }, () => ({
    h3: pickDifferent(copy.headings, used),
    text: [
      pickDifferent(copy.openings, used),
      pickDifferent(trade.sentences, used),
      pickDifferent(copy.middles, used),
      ...(random.chance(0.5) ? [pickDifferent(copy.closings, used)] : []),
    ].join(' '),
  }))
}
