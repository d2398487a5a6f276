/**
 * Programs that get credentials for clusters, by the name under which an inventory asks for one. The file has the form of
 * the cluster inventory API's provider file (`sigs.k8s.io/cluster-inventory-api/pkg/access`), so that one serves both.
 */
import { err, ok, type Result } from '@lockstep/kube/env'
import {
  at,
  isArray,
  isObject,
  isString,
  JsonSyntaxError,
  type JsonValue,
  parseJson,
} from '@lockstep/kube/object'

/** A client-go credential plugin (`client.authentication.k8s.io`). */
export interface ExecProvider {
  readonly name: string
  readonly apiVersion: string
  readonly command: string
  readonly args: readonly string[]
  /** All of it but PATH: nothing else is inherited. */
  readonly env: Readonly<Record<string, string>>
  /** The program is told which cluster it is for. */
  readonly provideClusterInfo: boolean
  /** What it is told of the cluster by its inventory, beside address and CA. */
  readonly config?: JsonValue
}

/** The providers of `--credential-provider`, in the order of the file. */
export interface ExecProviders {
  /** For messages; undefined: no file was given. */
  readonly file: string | undefined
  readonly list: readonly ExecProvider[]
}

export const noProviders: ExecProviders = { file: undefined, list: [] }

export const providerNames = (p: ExecProviders): string =>
  p.file === undefined ? 'no --credential-provider file' : p.file

const API_VERSIONS: readonly string[] = [
  'client.authentication.k8s.io/v1',
  'client.authentication.k8s.io/v1beta1',
]

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
  if (!isString(apiVersion) || !API_VERSIONS.includes(apiVersion))
    return err(`${field}.execConfig.apiVersion: give ${API_VERSIONS.join(' or ')}`)
  for (const key of ['profileSourcedCLIArgsPolicy', 'profileSourcedEnvVarsPolicy']) {
    const policy = at(p, key)
    if (policy !== undefined && policy !== 'Ignore')
      return err(
        `${field}.${key}: only Ignore is allowed: an object on the hub may not change a command line here`,
      )
  }
  const args = at(exec, 'args')
  const env = at(exec, 'env')
  return ok({
    name,
    apiVersion,
    command,
    args: isArray(args) ? args.filter(isString) : [],
    env: Object.fromEntries(
      (isArray(env) ? env : []).flatMap((e) => {
        const [key, value] = [at(e, 'name'), at(e, 'value')]
        return isObject(e) && isString(key) && isString(value) ? [[key, value]] : []
      }),
    ),
    provideClusterInfo: at(exec, 'provideClusterInfo') === true,
  })
}
