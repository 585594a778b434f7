/** Measures of generated texts. They know the lists of words, and nothing of the composition of texts. */

const HEADERS = { headers: { authorization: 'Bearer sandbox-super' } }

/**
 * The texts of the last generated report of each project.
 *
 * @param detailsOf returns the details in texts about a project with such a keyword.
 */
export async function readTexts(sandbox, detailsOf) {
  const texts = []
  for (const project of sandbox.world.records.all('projects')) {
    const path = `/api/v1/projects/${project.id}/reports`
    const report = await sandbox.fetch(`${path}/last-generated`, HEADERS)
    if (report.status !== 200) continue
    const { data } = await report.json()
    const response = await sandbox.fetch(`${path}/${data.report_number}/content`, HEADERS)
    const { keywords } = (await response.json()).data
    const details = detailsOf(project, keywords[0].keyword)
    for (const { keyword, content, html } of keywords) {
      if (!content) continue
      texts.push({
        project: project.id,
        keyword,
        blocks: content,
        html: html.map((block) => block.h3_and_text),
        details,
      })
    }
  }
  return texts
}

/**
 * @param texts `{ project, keyword, blocks, html, details }`: a project's id, a phrase, its blocks in both forms, and the
 * details of its project (`company`, `city`, `street` and so on).
 * @param words the words of their locale.
 */
export function measureTexts(texts, words) {
  const services = words.trades
    .flatMap((trade) => trade.services)
    .map((service) => service.toLowerCase())
    .toSorted((one, other) => other.length - one.length)
  const counts = {
    texts: 0,
    withService: 0,
    aboutService: 0,
    withPhrase: 0,
    blocks: 0,
    blocksWithPhrase: 0,
    sentences: 0,
    naming: 0,
    twice: 0,
    strange: 0,
    malformed: 0,
    foreign: 0,
  }
  const seen = new Map()
  const ofReports = new Map()
  for (const { project, keyword, blocks, html, details } of texts) {
    const ofReport = ofReports.get(project) ?? new Set()
    ofReports.set(project, ofReport)
    const service = services.find((name) => ` ${keyword} `.includes(` ${name} `))
    const typed = wordsOf(keyword, details.city, words)
    const has = (text) => typed.every((word) => text.toLowerCase().includes(word))
    const whole = blocks.map(({ h3, text }) => `${h3} ${text}`).join(' ')
    counts.texts += 1
    if (service !== undefined) {
      counts.withService += 1
      if (whole.toLowerCase().includes(service)) counts.aboutService += 1
    }
    const openings = blocks.flatMap(({ h3, text }) => [h3, sentencesOf(text)[0]])
    if (openings.some(has)) counts.withPhrase += 1
    counts.malformed += html.filter((block) => !WELL_FORMED.test(block)).length
    counts.foreign += foreignAddresses(whole).length

    const mask = createMask(keyword, service, details, words)
    for (const { h3, text } of blocks) {
      const sentences = sentencesOf(text)
      const mentions = [h3, ...sentences].filter((part) => has(withoutName(part, details)))
      counts.blocks += 1
      if (mentions.length > 2) counts.blocksWithPhrase += 1
      for (const masked of new Set(sentences.map(mask))) {
        seen.set(masked, (seen.get(masked) ?? 0) + 1)
      }
      counts.sentences += sentences.length
      for (const sentence of sentences) {
        if (ofReport.has(sentence)) counts.twice += 1
        ofReport.add(sentence)
      }
      counts.strange += strangeNumbers(text, keyword, details).length
      counts.naming += sentences.filter((sentence) => names(sentence, details, words)).length
    }
  }
  const [[mostFrequent, frequency]] = [...seen].toSorted(([, one], [, other]) => other - one)
  return {
    ...counts,
    about: counts.aboutService / counts.withService,
    phrase: counts.withPhrase / counts.texts,
    mostFrequent,
    repeated: frequency / counts.blocks,
    named: counts.naming / counts.sentences,
  }
}

const WELL_FORMED = /^<h3>[^<>]+<\/h3>\n<p>[^<>]+<\/p>$/

/** The words that a natural form has to keep: all of the phrase, with the city for "near me". */
function wordsOf(keyword, city, { nearby }) {
  const near = nearby.phrases.find((phrase) => ` ${keyword} `.includes(` ${phrase} `))
  if (!near) return keyword.toLowerCase().split(' ')
  const rest = keyword.replace(near, '').trim().toLowerCase().split(' ')
  return city ? [...rest, city.toLowerCase()] : rest
}

function sentencesOf(text) {
  return text.split(/(?<=[.?!]) (?=\p{Lu}|\p{N}|[“”„»‘])/u)
}

/** Replaces names, places, numbers, and the phrase. */
function createMask(keyword, service, details, { cities }) {
  const words = [
    details.company,
    details.street,
    details.hours,
    details.opens,
    details.closes,
    details.wait,
    details.team,
    details.name,
    details.colleague,
    keyword,
    ...(service ? [service] : []),
    ...cities,
  ]
  const found = words
    .filter((word) => word)
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const known = new RegExp(`(?<!\\p{L})(?:${found.join('|')})(?!\\p{L})`, 'giu')
  return (sentence) => sentence.replaceAll(known, '_').replaceAll(/\d+/g, '#')
}

/** Names of businesses contain words of phrases (`Aarhus VVS`). */
function withoutName(text, { company }) {
  return text.replaceAll(company, '')
}

/** Numbers that are not the project's, nor in its phrase. */
function strangeNumbers(text, keyword, details) {
  const known = [...Object.values(details), keyword].flatMap((value) => numbersIn(value ?? ''))
  return numbersIn(text).filter((number) => !known.includes(number))
}

function numbersIn(text) {
  return text.match(/\d[\d.,]*\d|\d/g) ?? []
}

function names(sentence, { company }, { cities }) {
  return sentence.includes(company) || cities.some((city) => sentence.includes(city))
}

function foreignAddresses(text) {
  const hosts = [...text.matchAll(/(?:https?:\/\/|www\.|@)([\w.-]+\w)/g)].map(([, host]) => host)
  return hosts.filter((host) => !host.endsWith('.example'))
}
