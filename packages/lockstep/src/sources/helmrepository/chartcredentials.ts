/** Credentials for a chart repository, out of Secrets with Flux's keys. Values never get into a message. */

import { err, ok, type Result } from '@lockstep/kube/env'
import type { Secret } from '@lockstep/kube/kinds'
import { at, base64ToBytes, bytesToBase64, isObject, isString, type JsonValue } from '@lockstep/kube/object'
import type { ChartRepository } from './chartrepository.ts'

/** How a repository is reached. */
export interface ChartAccess {
  /** `Basic …` or `Bearer …`. */
  readonly authorization?: string
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string }
  /** `Secret platform/charts (username)`: what messages call it. */
  readonly name?: string
}

const DOCKER_CONFIG = '.dockerconfigjson'

type ReadKey = (key: string) => string | undefined

const reader =
  (secret: Secret): ReadKey =>
  (key) => {
    const value = secret.data?.[key]
    return value === undefined ? undefined : new TextDecoder().decode(base64ToBytes(value))
  }

const nameOf = ({ metadata: { namespace, name } }: Secret): string => `Secret ${namespace}/${name}`

/** Of `secretRef`. The problem is for people, and names keys only. */
export function chartCredentialsOf(
  repository: ChartRepository,
  secret: Secret,
): Result<Pick<ChartAccess, 'authorization' | 'name'>, string> {
  const name = nameOf(secret)
  const get = reader(secret)
  const [username, password, token, docker] = ['username', 'password', 'bearerToken', DOCKER_CONFIG].map(get)
  const given = [
    ...(username === undefined && password === undefined ? [] : ['username and password']),
    ...(token === undefined ? [] : ['bearerToken']),
    ...(docker === undefined ? [] : [DOCKER_CONFIG]),
  ]
  if (given.length > 1) return err(`${name} has ${given.join(' and ')}; leave one`)
  if (token !== undefined) return safe(`Bearer ${token.trim()}`, `${name} (bearerToken)`)
  if (docker !== undefined) return dockerLogin(repository, docker, name)
  if (given.length === 0) {
    const more = repository.kind === 'oci' ? `, ${DOCKER_CONFIG}` : ''
    return err(`${name} has none of username and password, bearerToken${more}`)
  }
  if (username === undefined) return err(`${name} has password and no username`)
  if (password === undefined) return err(`${name} has username and no password`)
  return safe(basic(username, password), `${name} (username)`)
}

/** Of `certSecretRef`. */
export function chartTlsOf(secret: Secret): Result<NonNullable<ChartAccess['tls']>, string> {
  const name = nameOf(secret)
  const get = reader(secret)
  const [ca, cert, key] = ['ca.crt', 'tls.crt', 'tls.key'].map(get)
  if (ca === undefined && cert === undefined) return err(`${name} has none of ca.crt, tls.crt and tls.key`)
  if ((cert === undefined) !== (key === undefined))
    return err(`${name} has ${cert === undefined ? 'tls.key and no tls.crt' : 'tls.crt and no tls.key'}`)
  return ok({
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
  })
}

function dockerLogin(
  repository: ChartRepository,
  text: string,
  name: string,
): Result<Pick<ChartAccess, 'authorization' | 'name'>, string> {
  const what = `${name} (${DOCKER_CONFIG})`
  if (repository.kind !== 'oci') return err(`${what} requires oci://; write username and password`)
  const auths = authsOf(text)
  if (!auths) return err(`${what} is not a docker configuration with auths`)
  const found = Object.entries(auths).find(([key]) => hostOfKey(key) === repository.host)
  if (!found) return err(`${what} has nothing for ${repository.host}`)
  const [, entry] = found
  const [username, password, auth] = ['username', 'password', 'auth'].map((key) => at(entry, key))
  if (isString(username) && isString(password)) return safe(basic(username, password), what)
  if (isString(auth) && auth !== '') return safe(`Basic ${auth.trim()}`, what)
  return err(`${what} has neither username and password nor auth for ${repository.host}`)
}

function authsOf(text: string): Readonly<Record<string, JsonValue | undefined>> | undefined {
  try {
    const auths = at(JSON.parse(text) as JsonValue, 'auths')
    return isObject(auths) ? auths : undefined
  } catch {
    return undefined
  }
}

/** docker writes hosts, also with a scheme and a path: `https://index.docker.io/v1/`. */
function hostOfKey(key: string): string {
  const host = key.replace(/^https?:\/\//, '').replace(/\/.*$/, '')
  return host === 'index.docker.io' ? 'docker.io' : host
}

const basic = (user: string, password: string): string =>
  `Basic ${bytesToBase64(new TextEncoder().encode(`${user}:${password}`))}`

/** A line break in a header would be another header. */
function safe(
  authorization: string,
  name: string,
): Result<Pick<ChartAccess, 'authorization' | 'name'>, string> {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is refused
  if (/[\u0000-\u001f\u007f]/.test(authorization))
    return err(`${name}: holds a line break or a control character`)
  return ok({ authorization, name })
}
