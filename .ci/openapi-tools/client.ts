/** What users write over the generated clients: the errors of proxies and faults are in their types. */
import createClient from 'openapi-fetch'
import * as heyApi from './hey-api/openapi'
import * as heyControl from './hey-api/control-openapi'
import type { paths } from './openapi-typescript/openapi'
import type { paths as controlPaths } from './openapi-typescript/control-openapi'
import * as orvalApi from './orval/openapi'
import * as orvalControl from './orval/control-openapi'
import { Api } from './swagger-typescript-api/openapi'
import { Api as ControlApi } from './swagger-typescript-api/control-openapi'

type Same<One, Other> = [One, Other] extends [Other, One] ? true : false

interface Problem {
  message: string
}
interface RateLimit {
  error: { code: 'rate_limit_exceeded'; message: string }
}

export async function withOpenapiTypescript() {
  const api = await createClient<paths>().GET('/me')
  const name: string | undefined = api.data?.name
  const isWhole: Same<NonNullable<typeof api.error>, Problem | RateLimit | string> = true

  const control = createClient<controlPaths>()
  await control.POST('/faults', { body: { kind: 'html' } })
  await control.PATCH('/policies', { body: { 'foreign-project': '403' } })
  // @ts-expect-error -- The options are 403 and 404.
  await control.PATCH('/policies', { body: { 'foreign-project': '405' } })
  await control.PUT('/records/{collection}', {
    params: { path: { collection: 'countries' } },
    body: { id: 5, label: 'Narnia' },
  })
  return { name, isWhole }
}

export async function withHeyApi() {
  const api = await heyApi.getMe()
  const name: string | undefined = api.data?.name
  const error: Problem | RateLimit | undefined = api.error

  await heyControl.addFault({ body: { kind: 'html' } })
  await heyControl.setPolicies({ body: { 'foreign-project': '403' } })
  // @ts-expect-error -- The options are 403 and 404.
  await heyControl.setPolicies({ body: { 'foreign-project': '405' } })
  return { name, error }
}

export async function withOrval() {
  const api = await orvalApi.getMe()
  if (api.status === 200) return api.data.name
  const isWhole: Same<typeof api.data, Problem | RateLimit | string> = true
  // 502 has no response of its own.
  const error: Problem | string = api.status === 502 ? api.data : ''

  await orvalControl.addFault({ kind: 'html' })
  await orvalControl.setPolicies({ 'foreign-project': '403' })
  // @ts-expect-error -- The options are 403 and 404.
  await orvalControl.setPolicies({ 'foreign-project': '405' })
  return { error, isWhole }
}

export async function withSwaggerTypescriptApi() {
  const api = await new Api().me.getMe()
  const name: string = api.data.name
  const error: Problem | RateLimit = api.error

  const { faults, policies } = new ControlApi()
  await faults.addFault({ kind: 'html' })
  await policies.setPolicies({ 'foreign-project': '403' })
  // @ts-expect-error -- The options are 403 and 404.
  await policies.setPolicies({ 'foreign-project': '405' })
  return { name, error }
}
