/**
 * Programs that get credentials for clusters, by the name under which an inventory asks for one. The file has the form of
 * the cluster inventory API's provider file (`sigs.k8s.io/cluster-inventory-api/pkg/access`), so that one serves both.
 */
import { err, ok, type Result } from '@lockstep/kube/env'
import { at, isArray, isString, JsonSyntaxError, type JsonValue, parseJson } from '@lockstep/kube/object'
import { variablesOf } from '../kubeconfig/execprogramof.ts'
import { EXEC_API_VERSIONS, type ExecProgram } from './execprogram.ts'

/** A program of the platform team, and for what it may be used. */
export interface ExecProvider {
  readonly name: string
  readonly program: ExecProgram
  /** Servers that may get its credentials: `eu-1.example.com`, `10.1.2.3:6443`, `*.eks.amazonaws.com`. */
  readonly servers: readonly string[]
  /** Namespaces whose cluster objects may use it. */
  readonly namespaces: readonly string[]
}

/** The providers of `--credential-provider`, in the order of the file. */
export interface ExecProviders {
  /** For messages; undefined: no file was given. */
  readonly file: string | undefined
  readonly list: readonly ExecProvider[]
}

/** Why a cluster object of a namespace gets no credential for a server; undefined: it gets one. */
export function providerProblem(
  { name, servers, namespaces }: ExecProvider,
  namespace: string,
  url: string,
): string | undefined {
  if (!namespaces.includes(namespace)) return `provider ${name} is not for namespace ${namespace}`
  const { host, hostname, port } = new URL(url)
  const isIn = servers.some((s) =>
    s.startsWith('*.') ? hostname.endsWith(s.slice(1)) : [hostname, `${hostname}:${port || 443}`].includes(s),
  )
  return isIn ? undefined : `provider ${name} is not for server ${host}`
}

export const noProviders: ExecProviders = { file: undefined, list: [] }

export const providerNames = (p: ExecProviders): string =>
  p.file === undefined ? 'no --credential-provider file' : p.file

/** The providers of a file, or what is wrong with it, with the field. */
export function parseProviders(file: string, text: string): Result<ExecProviders, string> {
  const json = parsed(text)
  if (!json.ok) return json
  const all = at(json.value, 'providers')
  if (!isArray(all)) return err('providers: a list is needed')
  const list: ExecProvider[] = []
  for (const [i, p] of all.entries()) {
    const one = providerOf(p, `providers[${i}]`)
    if (!one.ok) return one
    if (list.some((x) => x.name === one.value.name))
      return err(`providers[${i}].name: duplicate name "${one.value.name}"`)
    list.push(one.value)
  }
  return ok({ file, list })
}

function parsed(text: string): Result<JsonValue, string> {
  try {
    return ok(parseJson(text))
  } catch (e) {
    if (!(e instanceof JsonSyntaxError)) throw e
    return err(e.message)
  }
}

function providerOf(p: JsonValue, field: string): Result<ExecProvider, string> {
  const name = at(p, 'name')
  if (!isString(name) || name === '') return err(`${field}.name: is missing`)
  const exec = at(p, 'execConfig')
  const command = at(exec, 'command')
  if (!isString(command) || command === '') return err(`${field}.execConfig.command: is missing`)
  const apiVersion = at(exec, 'apiVersion')
  if (!isString(apiVersion) || !EXEC_API_VERSIONS.includes(apiVersion))
    return err(`${field}.execConfig.apiVersion: give ${EXEC_API_VERSIONS.join(' or ')}`)
  for (const key of ['profileSourcedCLIArgsPolicy', 'profileSourcedEnvVarsPolicy']) {
    const policy = at(p, key)
    if (policy !== undefined && policy !== 'Ignore')
      return err(
        `${field}.${key}: only Ignore is allowed: an object on the hub may not change a command line here`,
      )
  }
  const servers = textsOf(p, field, 'servers', SERVER, 'a host, or *.domain')
  if (!servers.ok) return servers
  const namespaces = textsOf(p, field, 'namespaces', NAMESPACE, 'a namespace')
  if (!namespaces.ok) return namespaces
  const args = at(exec, 'args')
  return ok({
    name,
    program: {
      owner: `credential provider ${name}`,
      apiVersion,
      command,
      args: isArray(args) ? args.filter(isString) : [],
      env: variablesOf(at(exec, 'env')),
      provideClusterInfo: at(exec, 'provideClusterInfo') === true,
    },
    servers: servers.value,
    namespaces: namespaces.value,
  })
}

/** As URLs have hosts: lower case. A port is part of a host, and not of a domain. */
const SERVER = /^(\*(\.[a-z0-9-]+){2,}|[a-z0-9.-]+(:\d+)?|\[[0-9a-f:.]+\](:\d+)?)$/
const NAMESPACE = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/

/** A list that must not be empty: without it, a token would go to every server. */
function textsOf(
  p: JsonValue,
  field: string,
  key: string,
  pattern: RegExp,
  what: string,
): Result<readonly string[], string> {
  const all = at(p, key)
  if (!isArray(all) || all.length === 0) return err(`${field}.${key}: is missing`)
  for (const [i, text] of all.entries())
    if (!isString(text) || !pattern.test(text))
      return err(`${field}.${key}[${i}]: ${JSON.stringify(text)} is not ${what}`)
  return ok(all.filter(isString))
}
