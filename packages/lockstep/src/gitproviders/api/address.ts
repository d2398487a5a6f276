/** Where the API of a repository is, from the URL that people write. */
import { err, ok, type Result } from '@lockstep/kube/env'
import { type GitUrl, parseGitUrl } from '../../sources/git/index.ts'

export type GitProviderKind = 'github' | 'gitlab' | 'gitea'

export interface ProviderAddress {
  readonly url: GitUrl
  /** Without a slash at its end. */
  readonly api: string
  /** GitLab: all groups. */
  readonly owner: string
  readonly repository: string
}

/** https, or http to this machine. The problem is for people. */
export function parseRemote(text: string): Result<GitUrl, string> {
  const url = parseGitUrl(text, false, true)
  if (url.ok && url.value.scheme === 'ssh') return err('ssh:// is not supported here; write https://')
  return url
}

export function providerAddress(
  provider: GitProviderKind,
  text: string,
  apiUrl: string | undefined,
): Result<ProviderAddress, string> {
  const url = parseRemote(text)
  if (!url.ok) return err(`url: ${url.error}`)
  const api = apiUrl?.replace(/\/+$/, '')
  // What stands below it: an API may be at the root of its host.
  const given = api === undefined ? undefined : parseRemote(`${api}/-`)
  if (given && !given.ok) return err(`apiUrl: ${given.error}`)
  const parts = partsOf(url.value, api)
  const name = parts.pop()
  const owner = provider === 'gitlab' ? parts.splice(0).join('/') : (parts.pop() ?? '')
  // Gitea may be served below a path; GitHub is not.
  if (name === undefined || owner === '' || (provider === 'github' && parts.length > 0))
    return err(`url: "${text}" names no repository; write ${EXAMPLE[provider]}`)
  const below = parts.map((part) => `/${part}`).join('')
  return ok({
    url: url.value,
    api: api ?? `${defaultApi(provider, url.value)}${below}${PREFIX[provider](url.value)}`,
    owner,
    repository: name,
  })
}

const EXAMPLE: Readonly<Record<GitProviderKind, string>> = {
  github: 'https://host/owner/repository',
  gitlab: 'https://host/group/project',
  gitea: 'https://host/owner/repository',
}

/** The path's parts, without `.git` and what the API's path has in front, too. */
function partsOf(url: GitUrl, api: string | undefined): string[] {
  const path = new URL(url.text).pathname.replace(/\/+$/, '').replace(/\.git$/, '')
  const base = api === undefined ? undefined : new URL(api)
  const below = base?.host === url.host ? base.pathname.replace(/\/api\/v\d+$/, '') : ''
  const rest = below !== '' && path.startsWith(`${below}/`) ? path.slice(below.length) : path
  return rest
    .split('/')
    .filter((part) => part !== '')
    .map(unescaped)
}

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const isGitHubCom = (url: GitUrl): boolean => url.host === 'github.com'
/** GitHub Enterprise Cloud with data residency: `api.` before the name of the enterprise. */
const isGheCom = (url: GitUrl): boolean => url.host.endsWith('.ghe.com')

const defaultApi = (provider: GitProviderKind, url: GitUrl): string =>
  provider === 'github' && (isGitHubCom(url) || isGheCom(url)) ? `https://api.${url.host}` : url.origin

/** docs.github.com "Getting started with the REST API"; docs.gitlab.com "REST API"; docs.gitea.com "API Usage". */
const PREFIX: Readonly<Record<GitProviderKind, (url: GitUrl) => string>> = {
  github: (url) => (isGitHubCom(url) || isGheCom(url) ? '' : '/api/v3'),
  gitlab: () => '/api/v4',
  gitea: () => '/api/v1',
}
