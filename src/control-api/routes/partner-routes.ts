import { z } from 'zod'
import { DateTime } from '../../contract/conventions.ts'
import {
  Invitation,
  Lifetime,
  OwnPartner,
  Partner,
  PartnerKey,
  PartnerName,
  SentLink,
  USUAL_LIFETIME,
  HostError,
} from '../../world/hosted-worlds.ts'
import { errorResponse } from '../control-error.ts'
import { Flag, answerList, listOf, ListQuery } from './query-fields.ts'
import { created, defineRoute, nameParameter, noContent, ok } from './route.ts'
import type { ControlRoutes } from './route.ts'
import { NO_STORE, withStore, NewWorld, toIsolatedSettings } from './worlds-routes.ts'

const Expires = Lifetime.default(USUAL_LIFETIME).describe(
  'Lifetime of the world from now on, as an ISO 8601 duration',
)
const Grace = Lifetime.optional().describe(
  'Period after that in which it can still be renewed, as an ISO 8601 duration; P30D, or as before, if omitted',
)

const PartnerFields = z.strictObject({
  name: PartnerName.describe('Your name for the partner, also used in greetings'),
  expires: Expires,
  grace: Grace,
})

const NewPartner: z.ZodObject & z.ZodType<z.infer<typeof PartnerFields> & Record<string, unknown>> =
  z.strictObject({
    ...PartnerFields.shape,
    ...NewWorld.shape,
  })

const Renewal = z
  .strictObject({
    expires: Expires,
    grace: Grace,
    link: z
      .boolean()
      .default(false)
      .describe('True to create a new link in place of the last one; keys stay valid'),
  })
  .prefault({})

const Renewed = Partner.extend(SentLink.partial().shape)

const Claimed = z.strictObject({
  world: z.string().describe('The id of the world'),
  key: z.string().describe('Another key of the world, besides the existing ones'),
  expires_at: DateTime,
})

/**
 * Response to a code that never existed, was revoked or was replaced. It is the same for all of them, so that it reveals
 * nothing.
 */
const NO_INVITATION = errorResponse(
  404,
  'invitation_not_found',
  'This link is not valid, or has been replaced or revoked: ask the person who invited you.',
)

/** Responses to a known code that can no longer be exchanged for a key, by reason. */
const NOT_CLAIMABLE = {
  used: errorResponse(
    410,
    'invitation_used',
    'This link has already been used: a link works once. Enter the key that the page showed you then, or ask the person who invited you for another link.',
  ),
  expired: errorResponse(
    410,
    'invitation_expired',
    'The world of this link has expired. Ask the person who invited you to renew it: it continues as it was.',
  ),
}

const NO_PARTNER = errorResponse(
  404,
  'partner_not_found',
  'This world has no partner: nobody was invited to it.',
)

const PartnersQuery = ListQuery.extend({
  search: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe(
      'Only partners whose name contains this, in upper or lower case, sorted by name: at most `limit`, without further pages',
    ),
  failed: Flag.optional().describe('Only partners whose client fails its review or got no 200'),
})

const CreatedKey = PartnerKey.pick({ id: true }).extend({ key: Invitation.shape.key })

const key = nameParameter(z.string().describe('The id of the key'))
const id = nameParameter(
  z.string().describe('The id of the partner, which is also the id of its world'),
)

export const PARTNER_ROUTES: ControlRoutes = {
  tag: 'Partners',
  page: 'docs/hosting/README.md',
  description: 'Partners, each with a world of its own until a date; with a store',
  routes: [
    defineRoute({
      id: 'listPartners',
      role: 'admin',
      method: 'get',
      path: '/partners',
      summary: 'Lists the partners, the oldest first',
      description:
        'Includes partners whose world has expired, as long as it can be renewed. With `limit` or `after` the response is a page, `{ partners, total, next }`, otherwise a list of all.',
      query: PartnersQuery,
      responses: { 200: listOf('partners', Partner) },
      refusal: NO_STORE,
      answer: (context, { query: { search, failed, ...range } }) =>
        withStore(context, ({ partners }) =>
          answerList('partners', range, (of) => partners.page({ ...of, search, failed })),
        ),
    }),
    defineRoute({
      id: 'getPartner',
      role: 'admin',
      method: 'get',
      path: '/partners/:id',
      summary: 'Shows a partner, in the form of the list',
      description: 'Includes partners whose world has expired, as long as it can be renewed.',
      params: { id },
      responses: { 200: Partner },
      refusal: NO_STORE,
      answer: (context, { params }) =>
        withStore(context, async ({ partners }) => ok(await partners.get(params.id))),
    }),
    defineRoute({
      id: 'getOwnPartner',
      role: 'world',
      method: 'get',
      path: '/partner',
      summary: 'Shows the partner of the world, and its expiry',
      description: 'The console greets this partner. 404 if the world belongs to no partner.',
      responses: { 200: OwnPartner },
      refusal: NO_STORE,
      answer: (context) =>
        withStore(context, async ({ partners }) => {
          const partner = await partners.of(context.world.options.id)
          return partner ? ok(partner) : NO_PARTNER
        }),
    }),
    defineRoute({
      id: 'invitePartner',
      role: 'admin',
      method: 'post',
      path: '/partners',
      summary: 'Creates a world for a partner, with a key and a link',
      description:
        'The world is like one of POST `/_sandbox/worlds`, but lasts until it expires, even if unused. The key and the link are shown only once. `text` is a message to send. No two partners have the same name.',
      needsRoom: true,
      body: NewPartner,
      responses: { 201: Invitation },
      answer: (context, { body: { name, expires, grace, ...world } }) =>
        withStore(context, async ({ partners }) => {
          const terms = { name, expires, grace, origin: context.origin }
          return created(await partners.invite(toIsolatedSettings(world), terms))
        }),
    }),
    defineRoute({
      id: 'claimInvitation',
      role: 'invited',
      method: 'post',
      path: '/partners/claim',
      summary: 'Exchanges the code of a link for a key of its world, once',
      description:
        'The console does so on a click on *Open my world*, not when the page of the link is loaded. No key is needed. With the right code, a used link or an expired world is a 410; everything else is the same 404.',
      body: z.strictObject({ code: z.string().describe('The text after `#claim=` in the link') }),
      responses: { 201: Claimed },
      answer: (context, { body: { code } }) =>
        withStore(context, async ({ partners }) => {
          const claimed = await partners.claim(code)
          if (claimed === undefined) return NO_INVITATION
          return typeof claimed === 'string' ? NOT_CLAIMABLE[claimed] : created(claimed)
        }),
    }),
    defineRoute({
      id: 'renewPartner',
      role: 'admin',
      method: 'patch',
      path: '/partners/:id',
      summary: 'Extends the lifetime of the world of a partner, from now on',
      description:
        'An expired world continues as it was, with the same tokens and keys, as long as it is kept.',
      params: { id },
      body: Renewal,
      responses: { 200: Renewed },
      answer: (context, { params, body: { expires, grace, link } }) =>
        withStore(context, async ({ partners }) => {
          const origin = link ? context.origin : undefined
          return ok(await partners.renew(params.id, { expires, grace, origin }))
        }),
    }),
    defineRoute({
      id: 'revokePartner',
      role: 'admin',
      method: 'delete',
      path: '/partners/:id',
      summary: 'Drops the world of a partner, for good',
      description: 'Its tokens, its keys and its link are unknown from then on.',
      params: { id },
      responses: { 204: null },
      refusal: NO_STORE,
      answer: (context, { params }) =>
        withStore(context, async ({ partners }) => {
          await partners.revoke(params.id)
          return noContent()
        }),
    }),
    defineRoute({
      id: 'createLink',
      role: 'admin',
      method: 'post',
      path: '/partners/:id/link',
      summary: 'Creates another link for a partner, in place of the last one',
      description:
        'The link is shown only once, with a message to send. Keys stay valid, and the expiry of the world is unchanged.',
      params: { id },
      responses: { 201: SentLink },
      refusal: `${NO_STORE} Or the world has expired.`,
      answer: (context, { params }) =>
        withStore(context, async ({ partners }) =>
          created(await partners.createLink(params.id, { origin: context.origin })),
        ),
    }),
    defineRoute({
      id: 'listKeys',
      role: 'admin',
      method: 'get',
      path: '/partners/:id/keys',
      summary: 'Lists the keys of the world of a partner, the oldest first',
      description: 'A key is shown only when it is created; this list has its id.',
      params: { id },
      responses: { 200: z.array(PartnerKey) },
      refusal: NO_STORE,
      answer: (context, { params }) =>
        withStore(context, async ({ partners }) => ok(await partners.keys(params.id))),
    }),
    defineRoute({
      id: 'createKey',
      role: 'admin',
      method: 'post',
      path: '/partners/:id/keys',
      summary: 'Creates another key for the world of a partner',
      description:
        'The key is shown only once. A world has at most ten keys, including those of claimed links.',
      params: { id },
      responses: { 201: CreatedKey },
      refusal: `${NO_STORE} Or the world has ten keys.`,
      answer: (context, { params }) =>
        withStore(context, async ({ partners }) => created(await partners.createKey(params.id))),
    }),
    defineRoute({
      id: 'revokeKey',
      role: 'admin',
      method: 'delete',
      path: '/partners/:id/keys/:key',
      summary: 'Revokes a key of the world of a partner, for good',
      description:
        'From then on every server refuses the key, and ends the streams opened with it.',
      params: { id, key },
      responses: { 204: null },
      refusal: NO_STORE,
      answer: (context, { params }) =>
        withStore(context, async ({ partners }) => {
          await partners.revokeKey(params.id, params.key)
          return noContent()
        }),
    }),
    defineRoute({
      id: 'getLimits',
      role: 'shared',
      method: 'get',
      path: '/limits',
      summary: 'Shows the limits of each world except the default one',
      description: 'Limits have the names of `--limits`.',
      responses: { 200: z.record(z.string(), z.int()) },
      refusal: NO_STORE,
      answer: (context) => withStore(context, ({ limits }) => ok(limits)),
    }),
    defineRoute({
      id: 'listErrors',
      role: 'admin',
      method: 'get',
      path: '/errors',
      summary: 'Lists the latest errors of this server, the newest first',
      description:
        'Requests to the API that the host or its store has refused, with their world, and errors of the store: at most 50, repeated ones with a count. Refusals of the control API are not listed. Other servers of the store have lists of their own.',
      responses: { 200: z.array(HostError) },
      refusal: NO_STORE,
      answer: (context) => withStore(context, ({ lastErrors }) => ok(lastErrors())),
    }),
  ],
}
