import { describe, toShownJson, withoutControls, withoutControlsInLines } from '../contract/text.ts'
import { suggest } from '../contract/suggestion.ts'
import { isFailure } from '../review/verdict.ts'
import { DEFAULT_HOST, DEFAULT_PORT } from '../server/server-options.ts'
import { withPartners } from '../server/store-partners.ts'
import { validate } from '../contract/validate.ts'
import { OptionError } from '../world/options/option-error.ts'
import { parseOption } from '../world/options/parse-option.ts'
import { Lifetime, PartnerName, USUAL_LIFETIME } from '../world/hosted-worlds.ts'
import type {
  Invitation,
  Partner,
  PartnerKey,
  ReviewSummary,
  SentLink,
} from '../world/hosted-worlds.ts'
import type { IsolatedWorldSettings } from '../world/isolated-worlds.ts'
import { colorsFor } from './print.ts'
import { count } from '../wording/count.ts'
import { openFixtures, createProgress } from './command-progress.ts'
import type { ServeSettings } from './serve-options.ts'
import { readFlags, readSettings } from './read-settings.ts'

const NO_STORE =
  'Partners need a store, which keeps their worlds. Name it with --store, like redis://127.0.0.1:6379.'

const LOCAL_LINK =
  'The link works only on this machine. Use --public-url to name the address that partners open.\n'

/** Argument of each action; undefined for none. */
const ACTIONS = {
  add: 'NAME',
  list: undefined,
  renew: 'PARTNER',
  link: 'PARTNER',
  revoke: 'PARTNER',
  keys: 'PARTNER',
} as const

type Action = keyof typeof ACTIONS

/**
 * `seo-sandbox partners`: manages the partners of a store, their links and their keys.
 *
 * @throws OptionError, FixtureError
 */
export async function managePartners(
  words: readonly string[],
  flags: Record<string, unknown>,
): Promise<void> {
  const { action, who } = readWords(words)
  const own = await readFlags(flags)
  const term = readTerm(flags)
  const { store: url, 'public-url': publicUrl } = flags
  const { settings } = await readSettings({ store: url, 'public-url': publicUrl })
  const { store, 'public-url': publicOrigin } = settings
  const hint = publicOrigin === undefined ? LOCAL_LINK : ''
  const origin = publicOrigin ?? `http://${DEFAULT_HOST}:${DEFAULT_PORT}`
  if (store === undefined) throw new OptionError(NO_STORE)
  const print = (value: unknown, text: string): void =>
    void process.stdout.write(own.json === true ? `${toShownJson(value)}\n` : text)

  switch (action) {
    case 'add': {
      const name = check(PartnerName, who, 'NAME')
      const world = await toWorld(own)
      const { expires = USUAL_LIFETIME, grace } = term
      const invited = await withPartners(store, (partners) =>
        partners.invite(world, { name, expires, grace, origin }),
      )
      print(invited, formatInvitation(invited) + hint)
      return
    }
    case 'list': {
      const { search, failed } = flags
      const filter = {
        ...(typeof search === 'string' && { search }),
        ...(failed === true && { failed }),
      }
      const { items } = await withPartners(store, (partners) => partners.page(filter))
      print(items, formatPartners(items, { isAll: Object.keys(filter).length === 0 }))
      return
    }
    case 'link': {
      const { name, ...sent } = await withPartners(store, async (partners) => {
        const { id, name: found } = onlyMatch(await partners.find(who), who)
        return { name: found, ...(await partners.createLink(id, { origin })) }
      })
      print(sent, formatText(name, sent) + hint)
      return
    }
    case 'renew': {
      const { expires = USUAL_LIFETIME, grace } = term
      const renewed = await withPartners(store, async (partners) => {
        const { id } = onlyMatch(await partners.find(who), who)
        const created = flags['key'] === true ? await partners.createKey(id) : undefined
        const terms = { expires, grace, ...(flags['link'] === true && { origin }) }
        return { ...(await partners.renew(id, terms)), ...(created && { key: created.key }) }
      })
      const { key, text } = renewed
      const lines = [
        `${withoutControls(renewed.name)}: ${untilOf(renewed)}\n`,
        key === undefined ? '' : `  key     ${key}\n`,
        text === undefined ? '' : formatText(renewed.name, { text }) + hint,
      ]
      print(renewed, lines.join(''))
      return
    }
    case 'keys': {
      const { revoke } = flags
      const keys = await withPartners(store, async (partners) => {
        const { id } = onlyMatch(await partners.find(who), who)
        if (typeof revoke === 'string') await partners.revokeKey(id, revoke)
        return partners.keys(id)
      })
      print(keys, formatKeys(keys))
      return
    }
    case 'revoke': {
      const revoked = await withPartners(store, async (partners) => {
        const partner = onlyMatch(await partners.find(who), who)
        await partners.revoke(partner.id)
        return partner
      })
      print(
        revoked,
        `${withoutControls(revoked.name)} is revoked: world ${revoked.world} no longer exists.\n`,
      )
    }
  }
}

function readWords([word = '', who]: readonly string[]): { action: Action; who: string } {
  if (!Object.hasOwn(ACTIONS, word)) {
    const known = Object.keys(ACTIONS)
    throw new OptionError(`partners: ${describe(word)} is not an action. ${suggest(word, known)}`)
  }
  const action = word as Action
  const taken = ACTIONS[action]
  if ((who === undefined) !== (taken === undefined)) {
    const usage = `seo-sandbox partners ${action}${taken === undefined ? '' : ` ${taken}`}`
    throw new OptionError(`partners ${action}: Write ${usage}.`)
  }
  return { action, who: who ?? '' }
}

function readTerm({ expires, grace }: Record<string, unknown>) {
  return {
    expires: expires === undefined ? undefined : check(Lifetime, expires, '--expires'),
    grace: grace === undefined ? undefined : check(Lifetime, grace, '--grace'),
  }
}

function check(schema: typeof Lifetime, input: unknown, source: string): string {
  return parseOption((given) => validate(schema, given), input, source)
}

/** Returns the source of a partner's world, with fixtures loaded. If all options are unset, that is the default world. */
async function toWorld({
  demo,
  scenario,
  fixtures,
  projects,
  locale,
}: ServeSettings): Promise<IsolatedWorldSettings> {
  return {
    demo,
    scenario,
    fixtures: fixtures && (await openFixtures(fixtures, createProgress())),
    generate: projects === undefined ? undefined : { projects },
    locale,
  }
}

function onlyMatch([found, another]: readonly Partner[], who: string): Partner {
  const shown = describe(who)
  if (!found) {
    throw new OptionError(`There is no partner ${shown}. seo-sandbox partners list names them.`)
  }
  if (another) {
    throw new OptionError(
      `Several partners are called ${shown}. Write an id: seo-sandbox partners list has it.`,
    )
  }
  return found
}

function formatInvitation({ name, world, tokens, key, text, expires_at }: Invitation): string {
  const { bold } = colorsFor(process.stdout)
  const lines = Object.values(tokens).map((token) => `  token   ${token}\n`)
  return [
    `${bold(withoutControls(name))} has world ${world} until ${toMinute(expires_at)}.\n`,
    `  key     ${key}\n`,
    ...lines,
    formatText(name, { text }),
  ].join('')
}

function formatText(name: string, { text }: Pick<SentLink, 'text'>): string {
  const { dim } = colorsFor(process.stdout)
  return `${dim(`Send this to ${withoutControls(name)}. It is not shown again:`)}\n\n${withoutControlsInLines(text)}\n`
}

function formatPartners(partners: readonly Partner[], { isAll }: { isAll: boolean }): string {
  if (partners.length > 0) return partners.map(formatPartner).join('')
  return isAll
    ? 'There are no partners. seo-sandbox partners add NAME invites one.\n'
    : 'No partner matches.\n'
}

function formatPartner(partner: Partner): string {
  const { bold } = colorsFor(process.stdout)
  const {
    id,
    claimed,
    requests,
    last_used_at: usedAt,
    bytes,
    maximum_bytes: most,
    review,
  } = partner
  const uses = [
    `link ${claimed ? 'used' : 'not used yet'}, ${count(requests, 'request')}, last request or change ${toMinute(usedAt)}, ${toMegabytes(bytes)} of ${toMegabytes(most)} MB`,
    ...(review ? [formatReview(review)] : []),
  ]
  const lines = partner.damaged === undefined ? uses : []
  const name = bold(withoutControls(partner.name))
  return `${id}  ${name}: ${untilOf(partner)}\n${lines.map((line) => `  ${line}\n`).join('')}`
}

const VERDICT_WORDS: Record<ReviewSummary['verdict'], string> = {
  passed: 'passed',
  failed: 'failed',
  'nothing-read': 'no request got a 200',
  'nothing-asked': 'no request',
}

function formatReview(review: ReviewSummary): string {
  const { green, red } = colorsFor(process.stdout)
  const { at, verdict, worst, delivered, finished } = review
  const color = isFailure(review) ? red : green
  const finding = worst ? `; ${worst.check}: ${withoutControls(worst.message)}` : ''
  return `review ${toMinute(at)}: ${color(VERDICT_WORDS[verdict])}, ${delivered} of ${count(finished, 'finished report')} delivered${finding}`
}

function toMegabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1)
}

function formatKeys(keys: readonly PartnerKey[]): string {
  if (keys.length === 0) return 'There are no keys.\n'
  const lines = keys.map(({ id, created_at, last_used_at: usedAt }) => {
    const used = usedAt === null ? 'never used' : `last used ${toMinute(usedAt)}`
    return `${id}  created ${toMinute(created_at)}, ${used}\n`
  })
  return lines.join('')
}

function untilOf({ expires_at, gone_at, damaged }: Partner): string {
  if (damaged !== undefined) return `damaged (${damaged})`
  return `until ${toMinute(expires_at)}, kept until ${toMinute(gone_at)}`
}

function toMinute(datetime: string): string {
  return `${datetime.slice(0, 16).replace('T', ' ')} UTC`
}
