/** The program of a user, as ExecConfig of client-go describes it (`client-go/tools/clientcmd/api/v1`). */
import { dirname, join } from 'node:path'
import { ok, type Result } from '@lockstep/kube/env'
import { at, isArray, isString, type JsonValue } from '@lockstep/kube/object'
import { EXEC_API_VERSIONS, type ExecProgram, type InteractiveMode } from '../credentials/execprogram.ts'
import { type KubeconfigFailure, kubeconfigFailure } from './kubeconfigfailure.ts'
import type { KubeconfigEntry } from './mergekubeconfigs.ts'
import type { SelectedEntries } from './selectentries.ts'

/** An extension of a cluster with this name is what the program learns of it. */
const EXEC_EXTENSION = 'client.authentication.k8s.io/exec'
const MODES: readonly JsonValue[] = ['Never', 'IfAvailable', 'Always'] satisfies InteractiveMode[]

export function execProgramOf({
  context,
  cluster,
  user,
}: SelectedEntries): Result<ExecProgram, KubeconfigFailure> {
  const get = (key: string): JsonValue | undefined => at(user.value.exec, key)
  const fail = (key: string, message: string) =>
    kubeconfigFailure(user.path, `${user.field}.exec.${key}`, message)
  const [command, apiVersion, mode, installHint] = [
    get('command'),
    get('apiVersion'),
    get('interactiveMode') ?? 'IfAvailable',
    get('installHint'),
  ]
  if (!isString(command) || command === '') return fail('command', 'is missing')
  if (!isString(apiVersion) || !EXEC_API_VERSIONS.includes(apiVersion))
    return fail('apiVersion', `"${String(apiVersion ?? '')}" is not supported; use ${EXEC_API_VERSIONS[0]}`)
  if (!MODES.includes(mode)) return fail('interactiveMode', `must be one of ${MODES.join(', ')}`)
  const config = extensionOf(cluster)
  return ok({
    owner: context.name === '' ? `user ${user.name}` : `context ${context.name}`,
    apiVersion,
    command: commandPath(command, user.path),
    args: texts(get('args')),
    env: variablesOf(get('env')),
    provideClusterInfo: get('provideClusterInfo') === true,
    ...(config === undefined ? {} : { config }),
    person: {
      interactiveMode: mode as InteractiveMode,
      ...(isString(installHint) && installHint !== '' ? { installHint } : {}),
    },
  })
}

/** A command with a slash is a path, relative to its file; others are found on the PATH. */
const commandPath = (command: string, file: string | undefined): string =>
  command.includes('/') && !command.startsWith('/') && file !== undefined
    ? join(dirname(file), command)
    : command

/** The texts of a list; another value has none. */
export const texts = (list: JsonValue | undefined): string[] => (isArray(list) ? list.filter(isString) : [])

/** Variables of a list of `name` and `value`. */
export function variablesOf(list: JsonValue | undefined): Record<string, string> {
  const pairs = (isArray(list) ? list : []).map((e) => [at(e, 'name'), at(e, 'value')] as const)
  return Object.fromEntries(pairs.filter(([name, value]) => isString(name) && isString(value)))
}

function extensionOf({ value }: KubeconfigEntry): JsonValue | undefined {
  const { extensions } = value
  const found = (isArray(extensions) ? extensions : []).find((e) => at(e, 'name') === EXEC_EXTENSION)
  return at(found, 'extension')
}
