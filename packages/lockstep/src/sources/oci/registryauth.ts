/** How a registry wants to be asked: what it says with 401, and what it is answered (distribution-spec "Token authentication"). */
import { err, ok, type Result } from '@lockstep/kube/env'
import { at, isString, type JsonValue } from '@lockstep/kube/object'
import type { ChartHttp } from '../helmrepository/charthttp.ts'
import { fault, type SourceFailure } from '../intake/sourcefailure.ts'

export type RegistryChallenge =
  | { readonly scheme: 'basic' }
  | {
      readonly scheme: 'bearer'
      readonly realm: URL
      readonly service: string | undefined
      readonly scope: string | undefined
    }

const MAX_TOKEN_BYTES = 1024 * 1024

/** Of `www-authenticate`; undefined: nothing that is understood. */
export function challengeIn(header: string): RegistryChallenge | undefined {
  const [, scheme = '', rest = ''] = /^\s*([A-Za-z]+)(?:\s+(.*))?$/s.exec(header) ?? []
  if (scheme.toLowerCase() === 'basic') return { scheme: 'basic' }
  if (scheme.toLowerCase() !== 'bearer') return undefined
  const values = new Map<string, string>()
  for (const [, key, quoted, bare] of rest.matchAll(/([a-z_]+)\s*=\s*(?:"([^"]*)"|([^\s,"]+))/gi))
    values.set(key!.toLowerCase(), quoted ?? bare ?? '')
  const realm = values.get('realm') ?? ''
  if (!URL.canParse(realm)) return undefined
  return {
    scheme: 'bearer',
    realm: new URL(realm),
    service: values.get('service'),
    scope: values.get('scope'),
  }
}

/**
 * A token for one realm, service and scope. The registry chooses who gives it, which may be another host: it is asked with the
 * repository's user and password, as docker and helm do; a bearer token is shown to the registry itself only.
 */
export async function registryAuthToken(
  http: ChartHttp,
  { realm, service, scope }: Extract<RegistryChallenge, { scheme: 'bearer' }>,
  pull: string,
): Promise<Result<string, SourceFailure>> {
  const url = new URL(realm)
  if (service !== undefined) url.searchParams.set('service', service)
  url.searchParams.set('scope', scope ?? pull)
  const { authorization } = http.access
  const login = authorization?.startsWith('Basic ') ? authorization : undefined
  return http.ask({ url, authorization: login, trusted: [url.origin] }, async (answer) => {
    if (answer.status !== 200) return err(answer.refusal())
    const body = await answer.bytes(MAX_TOKEN_BYTES)
    if (!body.ok) return body
    const token = tokenIn(body.value)
    return token === undefined
      ? err(fault('SourceAuthFailed', { place: http.place(url), because: 'NoToken' }))
      : ok(`Bearer ${token}`)
  })
}

function tokenIn(body: Uint8Array): string | undefined {
  let json: JsonValue
  try {
    json = JSON.parse(new TextDecoder().decode(body)) as JsonValue
  } catch {
    return undefined
  }
  const token = at(json, 'token') ?? at(json, 'access_token')
  // Another line would be another header.
  return isString(token) && /^[\x21-\x7e]+$/.test(token) ? token : undefined
}
