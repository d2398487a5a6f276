/** A cluster Secret whose token is renewed: pure. */
import { type Endpoint, err, ok, type Result } from '@lockstep/kube/env'
import type { Secret } from '@lockstep/kube/kinds'
import { base64ToBytes, bytesToBase64, parseDuration } from '@lockstep/kube/object'
import { RENEW_ANNOTATION } from '../../api/labels.ts'
import type { AllowedProxies } from '../kubeconfig/clusterproxy.ts'
import { kubeconfigFailureText } from '../kubeconfig/kubeconfigfailure.ts'
import { parseClusterKubeconfig } from '../kubeconfig/kubeconfigtarget.ts'
import { withToken } from '../kubeconfig/tokenkubeconfig.ts'
import { type TokenAccount, tokenAccount } from './renewaltime.ts'

/** The only key of a cluster Secret that a renewal replaces. */
export const KUBECONFIG_KEY = 'kubeconfig'
/** Seconds of a token that names no other time: a week. */
export const TOKEN_SECONDS = 7 * 24 * 3600
/** Limits of a TokenRequest (kubernetes `pkg/apis/authentication/validation`). */
export const LEAST_TOKEN_SECONDS = 600
const MOST_TOKEN_SECONDS = 2 ** 32

export interface SecretRenewal {
  readonly kubeconfig: string
  readonly endpoint: Endpoint
  /** Whose token it is. */
  readonly account: TokenAccount
  /** Seconds that the next token is asked to last. */
  readonly seconds: number
}

/** Input of a renewal, or why the Secret cannot be renewed. */
export function secretRenewal(
  { data, metadata }: Pick<Secret, 'data' | 'metadata'>,
  proxies: AllowedProxies,
): Result<SecretRenewal, string> {
  const encoded = data?.[KUBECONFIG_KEY]
  if (encoded === undefined) return err(`has no key ${KUBECONFIG_KEY}`)
  const kubeconfig = new TextDecoder().decode(base64ToBytes(encoded))
  const parsed = parseClusterKubeconfig(kubeconfig, proxies)
  if (!parsed.ok) return err(`${KUBECONFIG_KEY}: ${kubeconfigFailureText(parsed.error)}`)
  const { endpoint } = parsed.value.source
  const account = tokenAccount(endpoint)
  if (!account) return err('has no token of a ServiceAccount')
  return ok({
    kubeconfig,
    endpoint,
    account,
    seconds: tokenSeconds(metadata.annotations?.[RENEW_ANNOTATION]),
  })
}

/** The Secret's data with another token in its kubeconfig. */
export function renewedData(kubeconfig: string, token: string): Result<Record<string, string>, string> {
  const text = withToken(kubeconfig, token)
  return text.ok
    ? ok({ [KUBECONFIG_KEY]: bytesToBase64(new TextEncoder().encode(text.value)) })
    : err(`${KUBECONFIG_KEY}: ${kubeconfigFailureText(text.error)}`)
}

function tokenSeconds(duration: string | undefined): number {
  const ms = duration === undefined ? undefined : parseDuration(duration)
  if (ms === undefined) return TOKEN_SECONDS
  return Math.min(MOST_TOKEN_SECONDS, Math.max(LEAST_TOKEN_SECONDS, Math.floor(ms / 1000)))
}
