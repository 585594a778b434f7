import type { JudgedReview } from '../../review/judge.ts'

/** Hosts of the local machine, added to NO_PROXY so that requests to the sandbox bypass proxies. */
const LOCAL = ['127.0.0.1', 'localhost', '::1']

/** Both spellings are set: some programs read only one, and curl prefers lower case. */
const NO_PROXY = ['NO_PROXY', 'no_proxy'] as const

const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [
  name,
  name.toLowerCase(),
])

/** Returns NO_PROXY and no_proxy with the local hosts and the host of `url` added. A list that is `*` stays unchanged. */
export function bypassProxies(env: NodeJS.ProcessEnv, url: string): Record<string, string> {
  const hosts = [...new Set([...LOCAL, new URL(url).hostname.replaceAll(/[[\]]/g, '')])]
  const lists = NO_PROXY.map((name, index) => {
    const list = env[name] || env[NO_PROXY[1 - index]!] || ''
    return [name, isAll(list) ? list : withHosts(list, hosts)]
  })
  return Object.fromEntries(lists)
}

/** True for `*`, which means all hosts only if it is the whole list. */
function isAll(list: string): boolean {
  return list.trim() === '*'
}

function withHosts(list: string, hosts: readonly string[]): string {
  const listed = list.split(/[\s,]+/).filter((host) => host !== '')
  return [...listed, ...hosts.filter((host) => !listed.includes(host))].join(',')
}

/** Adds a notice about the proxies in the environment to a review without requests. Returns any other review unchanged. */
export function withProxies<Reviewed extends JudgedReview>(
  review: Reviewed,
  env: NodeJS.ProcessEnv,
): Reviewed {
  const names = PROXIES.filter((name) => env[name])
  if (review.requests > 0 || names.length === 0) return review
  const [are, them] = names.length === 1 ? ['is', 'it'] : ['are', 'them']
  const note = `${names.join(', ')} ${are} set: a client that ignores NO_PROXY sends its requests to a proxy instead of the sandbox. Unset ${them}, or have the client respect NO_PROXY.`
  return { ...review, notice: review.notice === undefined ? note : `${review.notice} ${note}` }
}
