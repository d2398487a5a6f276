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
  printable,
} from '@lockstep/kube/object'
import type { ExecProgram } from './execprogram.ts'

/** Plugins ask cloud services over the network. */
const TIMEOUT_MS = 60_000
/** A person who logs in takes longer. */
const LOGIN_MS = 10 * 60_000
const MAX_OUTPUT = 1024 * 1024

export interface ExecCredential {
  readonly token: string | undefined
  /** PEM texts, both or none. */
  readonly cert: string | undefined
  readonly key: string | undefined
  /** Wall-clock milliseconds; undefined: until it is refused. */
  readonly expiresAt: number | undefined
}

/**
 * One run. `hasTerminal`: a person sits there. A failure does not quote what the program printed on standard output: that may
 * be a token.
 */
export async function runExecPlugin(
  env: Pick<Env, 'processes'>,
  program: ExecProgram,
  endpoint: Endpoint,
  hasTerminal: boolean,
): Promise<Result<ExecCredential, string>> {
  const { owner, command, args, person } = program
  const fail = (problem: string) => err(`${owner}: ${problem}`)
  const mode = person?.interactiveMode ?? 'Never'
  const isInteractive = hasTerminal && mode !== 'Never'
  if (mode === 'Always' && !hasTerminal) return fail(`${command} needs a terminal, and there is none`)
  const info = encodeJson(requestOf(program, endpoint, isInteractive))
  const done = await env.processes.run(command, args, {
    env: { ...program.env, KUBERNETES_EXEC_INFO: info },
    timeoutMs: isInteractive ? LOGIN_MS : TIMEOUT_MS,
    maxOutput: MAX_OUTPUT,
    ...(person ? { inheritsEnv: true } : {}),
    ...(hasTerminal && person ? { terminal: isInteractive ? 'both' : 'stderr' } : {}),
  })
  if (!done.ok) return fail(failureText(done.error, person))
  const { code, stdout, stderr } = done.value
  if (code !== 0) return fail(`${command} ended with ${code}${lastLine(stderr)}`)
  const credential = execCredentialOf(new TextDecoder().decode(stdout), program.apiVersion)
  return credential.ok ? credential : fail(`${command}: ${credential.error}`)
}

const requestOf = (program: ExecProgram, { url, tls, proxy }: Endpoint, interactive: boolean): JsonValue => ({
  apiVersion: program.apiVersion,
  kind: 'ExecCredential',
  spec: {
    interactive,
    ...(program.provideClusterInfo
      ? {
          cluster: {
            server: url,
            ...(tls?.serverName === undefined ? {} : { 'tls-server-name': tls.serverName }),
            ...(tls?.insecure ? { 'insecure-skip-tls-verify': true } : {}),
            ...(tls?.ca === undefined
              ? {}
              : { 'certificate-authority-data': bytesToBase64(new TextEncoder().encode(tls.ca)) }),
            ...(proxy === undefined ? {} : { 'proxy-url': proxy }),
            ...(program.config === undefined ? {} : { config: program.config }),
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

function failureText(failure: ProcessFailure, person: ExecProgram['person']): string {
  switch (failure.kind) {
    case 'ToolMissing':
      return missingText(failure.program, person)
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

/** A kubeconfig of people says itself how its program is installed. */
function missingText(program: string, person: ExecProgram['person']): string {
  const missing = program.includes('/') ? `${program} does not exist` : `${program} is not on PATH`
  if (!person) return `${missing}; install it on the machine of the controller`
  const { installHint } = person
  return installHint === undefined ? missing : `${missing}. ${printable(installHint.trim())}`
}

/** `: ` and the last line of what a program reported. */
function lastLine(text: string): string {
  const last = text.trim().split('\n').at(-1)?.slice(0, 500) ?? ''
  return last === '' ? '' : `: ${last}`
}
