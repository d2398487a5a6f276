import { err, hostOf, isLoopback, ok, type Result } from '@lockstep/kube/env'
import { base64ToBytes, isString, type JsonValue } from '@lockstep/kube/object'
import type { KubeconfigTrust } from './kubeconfigselection.ts'

/**
 * The address of a server. Without TLS the network reads a credential: for people a server on their own machine may
 * get one, another one only requests without.
 */
export function serverUrl(
  url: unknown,
  trust: KubeconfigTrust,
  hasCredential = true,
): Result<string, string> {
  if (!isString(url) || !URL.canParse(url)) return err('is not a URL')
  const { protocol } = new URL(url)
  if (protocol === 'https:') return ok(url)
  if (protocol !== 'http:' || trust === 'Secret') return err(`${url}: only https is allowed`)
  return isLoopback(hostOf({ url }).host) || !hasCredential
    ? ok(url)
    : err(`${url} is not encrypted, and the user has a credential; write https://`)
}

/** PEM text out of base64. */
export function pem(data: JsonValue | undefined): string | undefined {
  return isString(data) && data !== '' ? new TextDecoder().decode(base64ToBytes(data)) : undefined
}
