import { z } from 'zod'
import { DateTime } from '../../contract/conventions.ts'
import {
  Invitation,
  Lifetime,
  Partner,
  PartnerKey,
  PartnerName,
  USUAL_LIFETIME,
} from '../../world/partner.ts'
import { errorResponse } from '../control-error.ts'
import { HostError } from '../../world/host-error.ts'
import { answerList, listOf, ListQuery } from './list-query.ts'
import { created, defineRoute, nameParameter, noContent, ok } from './route.ts'
import type { ControlRoutes } from './route.ts'
import { NO_STORE, withStore } from './with-store.ts'
import { FIXTURES_LIMIT_MB, NewWorld, toIsolatedSettings } from './worlds-routes.ts'

const Expires = Lifetime.default(USUAL_LIFETIME).describe(
  'How long the world lasts from now on, as an ISO 8601 duration',
)
const Grace = Lifetime.optional().describe(
  'How long it is kept after that, so that it can be renewed; P30D, or as before',
)

const PartnerFields = z.strictObject({
  name: PartnerName.describe('What you call the partner; no partner sees it'),
  expires: Expires,
  grace: Grace,
})

/** With the options of the world. */
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
      .describe('Whether to create a new link in place of the last one; keys stay valid'),
  })
  .prefault({})

const Renewed = Partner.extend({ link: Invitation.shape.link.optional() })

const Claimed = z.strictObject({
  world: z.string().describe('The id of the world'),
  key: z.string().describe('Another key of the world, besides the existing ones'),
  expires_at: DateTime,
})

/** The same for a code that never was one, was claimed, was revoked, or has expired. */
const NOT_CLAIMABLE = errorResponse(
  404,
  'invitation_not_found',
  'This link has already been used, or is no longer valid. Ask the person who invited you for a new one.',
)

const CreatedKey = PartnerKey.pick({ id: true }).extend({ key: Invitation.shape.key })

const key = nameParameter(z.string().describe('The id of the key'))
const id = nameParameter(z.string().describe('The id of the partner, which is that of its world'))

export const PARTNER_ROUTES: ControlRoutes = {
  tag: 'Partners',
  description: 'The partners who have a world of their own until a date; with a store',
  routes: [
    defineRoute({
      id: 'listPartners',
      role: 'admin',
      method: 'get',
      path: '/partners',
      summary: 'Lists the partners, the oldest first',
      description:
        'Also those whose world has expired, as long as it can be renewed. With `limit` or `after` the response is a page, `{ partners, total, next }`, otherwise a list of all.',
      query: ListQuery,
      responses: { 200: listOf('partners', Partner) },
      refusal: NO_STORE,
      answer: (context, { query }) =>
        withStore(context, ({ partners }) =>
          answerList('partners', query, (range) => partners.page(range)),
        ),
    }),
    defineRoute({
      id: 'invitePartner',
      role: 'admin',
      method: 'post',
      path: '/partners',
      summary: 'Creates a world for a partner, with a key and a link',
      description:
        'The world is like one of POST `/_sandbox/worlds`, but lasts until it expires, however little it is used. The key and the link are only shown this once.',
      needsRoom: true,
      body: NewPartner,
      bodyLimitMb: FIXTURES_LIMIT_MB,
      largeInput: 'fixtures or snapshot',
      responses: { 201: Invitation },
      answer: (context, { body: { name, expires, grace, ...world } }) =>
        withStore(context, async ({ partners }) => {
          const how = { name, expires, grace, origin: context.origin }
          return created(await partners.invite(toIsolatedSettings(world), how))
        }),
    }),
    defineRoute({
      id: 'claimInvitation',
      role: 'invited',
      method: 'post',
      path: '/partners/claim',
      summary: 'Exchanges the code of a link for a key of its world, once',
      description: 'The console does so when it is opened with the link. It needs no key.',
      body: z.strictObject({ code: z.string().describe('What follows `#claim=` in the link') }),
      responses: { 201: Claimed },
      answer: (context, { body: { code } }) =>
        withStore(context, async ({ partners }) => {
          const claimed = await partners.claim(code)
          return claimed ? created(claimed) : NOT_CLAIMABLE
        }),
    }),
    defineRoute({
      id: 'renewPartner',
      role: 'admin',
      method: 'patch',
      path: '/partners/:id',
      summary: 'Lets the world of a partner last longer, from now on',
      description:
        'One that has expired continues as it was, with the same tokens and keys, as long as it is kept.',
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
      id: 'listKeys',
      role: 'admin',
      method: 'get',
      path: '/partners/:id/keys',
      summary: 'Lists the keys of the world of a partner, the oldest first',
      description: 'A key is only shown when it is created; here it has an id.',
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
        'It is only shown this once. A world has ten keys at most, including those of links that were claimed.',
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
      description: 'Every server refuses it from then on, and ends the streams that it opened.',
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
      id: 'listErrors',
      role: 'admin',
      method: 'get',
      path: '/errors',
      summary: 'Lists what went wrong last on this server, the newest first',
      description:
        'Requests to the API that the host or its store has refused, with the world that they concern, and errors of the store: 50 at most, and the same ones with a count. What the control API refuses is not listed. Other servers of the store have their own.',
      responses: { 200: z.array(HostError) },
      refusal: NO_STORE,
      answer: (context) => withStore(context, ({ lastErrors }) => ok(lastErrors())),
    }),
  ],
}
