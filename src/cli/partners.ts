import { describe, withoutControls } from '../contract/describe.ts'
import { suggest } from '../contract/suggestion.ts'
import { DEFAULT_HOST, DEFAULT_PORT } from '../server/server-options.ts'
import { withPartners } from '../server/store-partners.ts'
import { validate } from '../contract/validate.ts'
import { OptionError } from '../world/option-error.ts'
import { parseOption } from '../world/parse-option.ts'
import { Lifetime, PartnerName, USUAL_LIFETIME } from '../world/partner.ts'
import type { Invitation, Partner, PartnerKey } from '../world/partner.ts'
import type { IsolatedWorldSettings } from '../world/isolated-options.ts'
import { colorsFor } from './colors.ts'
import { openFixtures } from './open-fixtures.ts'
import { createProgress } from './progress.ts'
import type { ServeSettings } from './serve-options.ts'
import { readFlags, readSettings } from './settings.ts'

const NO_STORE =
  'Partners need a store, which keeps their worlds. Name it with --store, like redis://127.0.0.1:6379.'

const LOCAL_LINK =
  'The link only works on this machine. Use --public-url to name the address that partners open.\n'

/** The word that each action takes. */
const ACTIONS = {
  add: 'NAME',
  list: undefined,
  renew: 'PARTNER',
  revoke: 'PARTNER',
  keys: 'PARTNER',
} as const

type Action = keyof typeof ACTIONS

/**
 * `seo-sandbox partners`: invites, lists, renews or revokes partners of a store, and their keys.
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
    void process.stdout.write(own.json === true ? `${JSON.stringify(value)}\n` : text)

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
      const listed = await withPartners(store, (partners) => partners.page())
      print(listed.items, formatPartners(listed.items))
      return
    }
    case 'renew': {
      const { expires = USUAL_LIFETIME, grace } = term
      const renewed = await withPartners(store, async (partners) => {
        const { id } = one(await partners.find(who), who)
        const created = flags['key'] === true ? await partners.createKey(id) : undefined
        const how = { expires, grace, ...(flags['link'] === true && { origin }) }
        return { ...(await partners.renew(id, how)), ...(created && { key: created.key }) }
      })
      const { key, link } = renewed
      const lines = [
        untilLine(renewed),
        link === undefined ? '' : `  link    ${link}\n${hint}`,
        key === undefined ? '' : `  key     ${key}\n`,
      ]
      print(renewed, lines.join(''))
      return
    }
    case 'keys': {
      const { revoke } = flags
      const keys = await withPartners(store, async (partners) => {
        const { id } = one(await partners.find(who), who)
        if (typeof revoke === 'string') await partners.revokeKey(id, revoke)
        return partners.keys(id)
      })
      print(keys, formatKeys(keys))
      return
    }
    case 'revoke': {
      const revoked = await withPartners(store, async (partners) => {
        const partner = one(await partners.find(who), who)
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
    throw new OptionError(
      `partners: ${describe(withoutControls(word))} is not an action. ${suggest(word, known)}`,
    )
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

/** @throws OptionError */
function check(schema: typeof Lifetime, input: unknown, source: string): string {
  return parseOption((given) => validate(schema, given), input, source)
}

/** What the world starts from; like the default one if nothing is set. */
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

/** The partner with an id or a name. @throws OptionError */
function one([found, another]: readonly Partner[], who: string): Partner {
  const shown = describe(withoutControls(who))
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

function formatInvitation({ name, world, tokens, key, link, expires_at }: Invitation): string {
  const { bold, dim } = colorsFor(process.stdout)
  const lines = Object.values(tokens).map((token) => `  token   ${token}\n`)
  return [
    `${bold(withoutControls(name))} has world ${world} until ${toMinute(expires_at)}.\n`,
    `  link    ${link}\n`,
    `  key     ${key}\n`,
    ...lines,
    `${dim('The link works once. Keep the key and the link: they are not shown again.')}\n`,
  ].join('')
}

function formatPartners(partners: readonly Partner[]): string {
  if (partners.length === 0) return 'There are no partners.\n'
  return partners.map((partner) => `${partner.id.padEnd(16)}  ${untilLine(partner)}`).join('')
}

function formatKeys(keys: readonly PartnerKey[]): string {
  if (keys.length === 0) return 'There are no keys.\n'
  const lines = keys.map(({ id, created_at, last_used_at: usedAt }) => {
    const used = usedAt === null ? 'never used' : `last used ${toMinute(usedAt)}`
    return `${id}  made ${toMinute(created_at)}, ${used}\n`
  })
  return lines.join('')
}

function untilLine({ name, expires_at, gone_at, damaged }: Partner): string {
  if (damaged !== undefined) return `${withoutControls(name)}: damaged (${damaged})\n`
  return `${withoutControls(name)}: until ${toMinute(expires_at)}, kept until ${toMinute(gone_at)}\n`
}

function toMinute(datetime: string): string {
  return `${datetime.slice(0, 16).replace('T', ' ')} UTC`
}
