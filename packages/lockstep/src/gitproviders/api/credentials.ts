/**
 * Credentials for a host, out of a Secret with the keys of weaveworks' pipeline-controller (`token`, or `username` and
 * `password`), and `ca.crt`: as a header of its API, and as what git is given. Values never get into a message.
 */

import { err, ok, type Result } from '@lockstep/kube/env'
import type { Secret } from '@lockstep/kube/kinds'
import { base64ToBytes, bytesToBase64 } from '@lockstep/kube/object'
import type { GitCredentials } from '../../sources/git/index.ts'
import type { GitProviderKind } from './address.ts'

export interface ProviderCredentials {
  /** `authorization` of the API. */
  readonly authorization: string
  readonly git: GitCredentials
  readonly ca?: string
  /** What no message may hold. */
  readonly secrets: readonly string[]
}

export interface NamedCredentials extends ProviderCredentials {
  /** Of the Secret: which of its keys they are. */
  readonly key: 'token' | 'password'
}

/** The problem is for people, and names keys only. */
export function providerCredentials(
  provider: GitProviderKind,
  secret: Secret,
): Result<NamedCredentials, string> {
  const name = `Secret ${secret.metadata.namespace}/${secret.metadata.name}`
  const get = (key: string): string | undefined => textOf(secret, key)
  const [token, username, password] = [get('token'), get('username'), get('password')]
  const secretText = token ?? password
  if (secretText === undefined || secretText === '')
    return err(`${name} has no key token, nor password; put an access token of ${provider} there as token`)
  if (token === undefined && username === undefined) return err(`${name} has password and no username`)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a line break in a header would be another header
  if (/[\u0000-\u001f\u007f]/.test(`${token}${username}${password}`))
    return err(`${name}: a value holds a line break or a control character`)
  const ca = get('ca.crt') ?? get('caFile')
  const basic = basicOf(username ?? USER_OF_TOKEN[provider], password ?? secretText)
  return ok({
    authorization: API[provider](token, basic, secretText),
    key: token === undefined ? 'password' : 'token',
    git: { type: 'header', value: basic, ...(ca === undefined ? {} : { tls: { ca } }) },
    ...(ca === undefined ? {} : { ca }),
    secrets: secretsOf([token, password], basic),
  })
}

/** Also as they are sent, in a header after its scheme. */
function secretsOf(values: readonly (string | undefined)[], header: string): string[] {
  const plain = values.filter((v) => v !== undefined && v !== '') as string[]
  return [...new Set([...plain, ...plain.map(encodeURIComponent), header.slice(header.indexOf(' ') + 1)])]
}

/** What no message may hold of the Secret of a push, whose values are in this header: a hook may say a token by itself. */
export function secretsOfPush(secret: Secret, header: string): string[] {
  const values = ['bearerToken', 'password'].map((key) => textOf(secret, key))
  return secretsOf(values, header)
}

function textOf(secret: Secret, key: string): string | undefined {
  const value = secret.data?.[key]
  return value === undefined ? undefined : new TextDecoder().decode(base64ToBytes(value)).trim()
}

/** Which name goes with a token in git's Basic authentication: docs.github.com (apps), docs.gitlab.com (OAuth), any for Gitea. */
const USER_OF_TOKEN: Readonly<Record<GitProviderKind, string>> = {
  github: 'x-access-token',
  gitlab: 'oauth2',
  gitea: 'oauth2',
}

/** GitLab's API knows no Basic authentication: a password is taken for the access token that it has to be. */
const API: Readonly<
  Record<GitProviderKind, (token: string | undefined, basic: string, secret: string) => string>
> = {
  github: (token, basic) => (token === undefined ? basic : `Bearer ${token}`),
  gitlab: (_token, _basic, secret) => `Bearer ${secret}`,
  gitea: (token, basic) => (token === undefined ? basic : `token ${token}`),
}

const basicOf = (user: string, password: string): string =>
  `Basic ${bytesToBase64(new TextEncoder().encode(`${user}:${password}`))}`
