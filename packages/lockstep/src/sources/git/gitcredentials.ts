/** Credentials for a repository, out of a Secret with Flux's keys. Values never get into a message. */

import { err, ok, type Result } from '@lockstep/kube/env'
import type { Secret } from '@lockstep/kube/kinds'
import { base64ToBytes } from '@lockstep/kube/object'
import type { GitUrl } from './giturl.ts'

export type GitCredentials =
  | { readonly type: 'none'; readonly tls?: GitTls }
  /** A whole `Authorization` header. */
  | { readonly type: 'header'; readonly value: string; readonly tls?: GitTls }
  | { readonly type: 'ssh'; readonly identity: string; readonly knownHosts: string }

export interface GitTls {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
}

/** The problem is for people, and names keys only. */
export function gitCredentials(url: GitUrl, secret: Secret): Result<GitCredentials, string> {
  const name = `Secret ${secret.metadata.namespace}/${secret.metadata.name}`
  const get = (key: string): string | undefined => {
    const value = secret.data?.[key]
    return value === undefined ? undefined : new TextDecoder().decode(base64ToBytes(value))
  }
  const isSsh = url.scheme === 'ssh'
  const [identity, knownHosts] = [get('identity'), get('known_hosts')]
  const [username, password, token] = [get('username'), get('password'), get('bearerToken')]
  if (isSsh) {
    if (identity === undefined) return err(`${name} has no key identity; an ssh:// URL needs a private key`)
    if (knownHosts === undefined)
      return err(`${name} has no key known_hosts; put the output of ssh-keyscan ${url.host} there`)
    if (password !== undefined) return err(`${name}: a private key with a passphrase is not supported`)
    return ok({ type: 'ssh', identity: endLine(identity), knownHosts: endLine(knownHosts) })
  }
  if (token !== undefined && (username !== undefined || password !== undefined))
    return err(`${name} has both bearerToken and username or password; leave one`)
  const tls = tlsOf(get)
  if (token !== undefined) return safe(`Bearer ${token.trim()}`, `${name}: bearerToken`, tls)
  if (username !== undefined || password !== undefined) {
    if (password === undefined) return err(`${name} has username and no password`)
    const pair = new TextEncoder().encode(`${username ?? 'git'}:${password}`)
    return safe(`Basic ${btoa(String.fromCharCode(...pair))}`, name, tls)
  }
  if (tls === undefined) return err(`${name} has none of username and password, bearerToken, ca.crt, tls.crt`)
  return ok({ type: 'none', tls })
}

function tlsOf(get: (key: string) => string | undefined): GitTls | undefined {
  const [ca, cert, key] = [get('ca.crt') ?? get('caFile'), get('tls.crt'), get('tls.key')]
  if (ca === undefined && cert === undefined) return undefined
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  }
}

/** A line break in a header would be another header. */
function safe(value: string, what: string, tls: GitTls | undefined): Result<GitCredentials, string> {
  if (/[\r\n]/.test(value)) return err(`${what}: holds a line break`)
  return ok({ type: 'header', value, ...(tls ? { tls } : {}) })
}

const endLine = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`)
