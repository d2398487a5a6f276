/** URLs of Git repositories: what is taken, and why the rest is not. */
import { bareHost, err, isLoopback, ok, type Result } from '@lockstep/kube/env'

export interface GitUrl {
  readonly text: string
  readonly scheme: 'https' | 'http' | 'ssh' | 'file'
  /** `example.com`, `example.com:2222`; empty for files. */
  readonly host: string
  /** `https://example.com:8443`: what credentials are bound to. */
  readonly origin: string
}

/** `user@host:path`, as `git clone` takes it. */
const SCP = /^([A-Za-z0-9._-]+@)?([A-Za-z0-9.-]+):(?!\/\/)(.+)$/

/**
 * The problem is for people: it says what to write instead. `files`: whether `file://` is taken; `loopback`: whether `http://`
 * to this machine is.
 */
export function parseGitUrl(text: string, files: boolean, loopback = false): Result<GitUrl, string> {
  const scp = SCP.exec(text)
  if (scp) return err(`"${text}" is not a URL; write ssh://${scp[1] ?? 'git@'}${scp[2]}/${scp[3]}`)
  let url: URL
  try {
    url = new URL(text)
  } catch {
    return err(`"${text}" is not a URL; write https://host/path or ssh://git@host/path`)
  }
  const scheme = url.protocol.slice(0, -1)
  if (scheme === 'http' && !(loopback && isLoopback(bareHost(url.hostname))))
    return err('http:// is not encrypted; write https://')
  if (scheme !== 'https' && scheme !== 'http' && scheme !== 'ssh' && scheme !== 'file')
    return err(`${scheme}:// is not supported; write https:// or ssh://`)
  if (scheme === 'file' && !files) return err('file:// is for local fleets only; write https:// or ssh://')
  if (url.password !== '' || (scheme.startsWith('http') && url.username !== ''))
    return err('holds credentials; put them into a Secret and name it in secretRef')
  if (url.search !== '' || url.hash !== '') return err('has a query or a fragment; leave it out')
  if (scheme !== 'file' && (url.hostname === '' || url.hostname.startsWith('-')))
    return err(`"${url.hostname}" is not a host name`)
  if (url.pathname === '' || url.pathname === '/') return err('names no repository: its path is empty')
  return ok({
    text,
    scheme,
    host: scheme === 'file' ? '' : url.host,
    origin: scheme === 'https' || scheme === 'http' ? url.origin : `${scheme}://${url.host}`,
  })
}
