/** Runs a credential plugin of client-go, and reads what it says (`client.authentication.k8s.io`, ExecCredential). */
import { decodeJson } from '@lockstep/kube/client'
import { type Endpoint, type Env, err, ok, type ProcessFailure, type Result } from '@lockstep/kube/env'
import {
  at,
  bytesToBase64,
  encodeJson,
  isString,
  type JsonValue,
  parseTimestampMs,
} from '@lockstep/kube/object'
import type { ExecProvider } from './provider.ts'

/** Plugins ask cloud services over the network. */
const TIMEOUT_MS = 60_000
const MAX_OUTPUT = 1024 * 1024

export interface ExecCredential {
  readonly token: string | undefined
  /** PEM texts, both or none. */
  readonly cert: string | undefined
  readonly key: string | undefined
  /** Wall-clock milliseconds; undefined: until it is refused. */
  readonly expiresAt: number | undefined
}

/** One run. Why there is no credential is said without what the program printed on standard output: that may be a token. */
export async function runExecPlugin(
  env: Pick<Env, 'processes'>,
  provider: ExecProvider,
  endpoint: Endpoint,
): Promise<Result<ExecCredential, string>> {
  const { name, command, args } = provider
  const info = encodeJson(requestOf(provider, endpoint))
  const done = await env.processes.run(command, args, {
    env: { ...provider.env, KUBERNETES_EXEC_INFO: info },
    timeoutMs: TIMEOUT_MS,
    maxOutput: MAX_OUTPUT,
  })
  const fail = (problem: string) => err(`credential provider ${name}: ${problem}`)
  if (!done.ok) return fail(failureText(done.error))
  const { code, stdout, stderr } = done.value
  if (code !== 0) return fail(`${command} ended with ${code}: ${lastLine(stderr)}`)
  const credential = execCredentialOf(new TextDecoder().decode(stdout), provider.apiVersion)
  return credential.ok ? credential : fail(`${command}: ${credential.error}`)
}

const requestOf = (provider: ExecProvider, { url, tls }: Endpoint): JsonValue => ({
  apiVersion: provider.apiVersion,
  kind: 'ExecCredential',
  spec: {
    interactive: false,
    ...(provider.provideClusterInfo
      ? {
          cluster: {
            server: url,
            ...(tls?.serverName === undefined ? {} : { 'tls-server-name': tls.serverName }),
            ...(tls?.ca === undefined
              ? {}
              : { 'certificate-authority-data': bytesToBase64(new TextEncoder().encode(tls.ca)) }),
            ...(provider.config === undefined ? {} : { config: provider.config }),
          },
        }
      : {}),
  },
})

/** What a plugin printed, as a credential. */
export function execCredentialOf(text: string, apiVersion: string): Result<ExecCredential, string> {
  const parsed = jsonOf(text)
  if (parsed === undefined || at(parsed, 'kind') !== 'ExecCredential') return err('printed no ExecCredential')
  if (at(parsed, 'apiVersion') !== apiVersion)
    return err(`printed another version of ExecCredential than ${apiVersion}`)
  const get = (key: string): string | undefined => {
    const value = at(parsed, 'status', key)
    return isString(value) && value !== '' ? value : undefined
  }
  const [token, cert, key] = [get('token'), get('clientCertificateData'), get('clientKeyData')]
  if ((cert === undefined) !== (key === undefined))
    return err('status.clientCertificateData and status.clientKeyData come together')
  if (token === undefined && cert === undefined)
    return err('printed neither status.token nor status.clientCertificateData')
  const expires = get('expirationTimestamp')
  return ok({ token, cert, key, expiresAt: expires === undefined ? undefined : parseTimestampMs(expires) })
}

function jsonOf(text: string): JsonValue | undefined {
  const decoded = decodeJson(text)
  return decoded.ok ? decoded.value : undefined
}

function failureText(failure: ProcessFailure): string {
  switch (failure.kind) {
    case 'ToolMissing':
      return `${failure.program} is not on PATH; install it on the machine of the controller`
    case 'TimedOut':
      return `${failure.program} gave no answer within ${failure.ms / 1000}s`
    case 'TooMuchMemory':
      return `${failure.program} needed more than ${failure.limit} bytes of memory`
    case 'TooMuchOutput':
      return `${failure.program} printed more than ${failure.limit} bytes`
    case 'Aborted':
      return `${failure.program} was ended`
    case 'Crashed':
      return `${failure.program}: ${failure.detail}`
  }
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1)?.slice(0, 500) ?? ''
