/** Which hub is meant, in the order of kubectl: `--kubeconfig`, KUBECONFIG, `~/.kube/config`, the ServiceAccount of a Pod. */
import { isAbsolute, join } from 'node:path'
import { ok, type Result } from '@lockstep/kube/env'
import type { CredentialSource } from '../../../fleet/credentials/index.ts'
import {
  inClusterKubeconfig,
  type KubeconfigFailure,
  type KubeconfigSelection,
  type KubeconfigTarget,
  type KubeconfigText,
  type KubeconfigTrust,
  kubeconfigFailureText,
  kubeconfigTarget,
  loadKubeconfigs,
  type MergedKubeconfig,
  mergeKubeconfigs,
} from '../../../fleet/kubeconfig/index.ts'
import { type CliFailure, type CommandContext, failed } from '../index.ts'

const OR_UP = 'or serve a fleet on this machine: lockstep up'

export interface HubTarget extends Omit<KubeconfigTarget, 'source'> {
  readonly source: CredentialSource
  readonly url: string
}

/** The hub of the chosen context. */
export const findHub = (
  c: CommandContext,
  trust: KubeconfigTrust = 'Person',
): Promise<Result<HubTarget, CliFailure>> => findTarget(c, selectionOf(c, trust))

/** The cluster of another context. Flags for the hub do not change it. */
export const findContext = (c: CommandContext, context: string): Promise<Result<HubTarget, CliFailure>> =>
  findTarget(c, { trust: 'Person', context })

async function findTarget(
  c: CommandContext,
  selection: KubeconfigSelection,
): Promise<Result<HubTarget, CliFailure>> {
  const read = await readKubeconfigs(c)
  if (!read.ok) return read
  const { paths, config, isOfPod } = read.value
  const target = kubeconfigTarget(config, selection)
  if (!target.ok) return refused(c, target.error, paths)
  const { source, context, namespace } = target.value
  return ok({
    source:
      isOfPod || paths.length === 0
        ? source
        : { type: 'Kubeconfig', paths, selection: { ...selection, ...fixedContext(context) } },
    url: source.endpoint.url,
    context,
    namespace,
  })
}

/** Paths of flags are relative to where the command runs. */
function selectionOf(c: CommandContext, trust: KubeconfigTrust): KubeconfigSelection {
  const { hub } = c.globals
  const paths = Object.fromEntries(
    (['certificateAuthority', 'clientCertificate', 'clientKey'] as const).flatMap((name) => {
      const path = hub[name]
      return path === undefined ? [] : [[name, absolute(c, path)]]
    }),
  )
  return { ...hub, ...paths, trust }
}

/** A change of the current context does not move a process that runs. */
const fixedContext = (context: string): Pick<KubeconfigSelection, 'context'> =>
  context === '' ? {} : { context }

interface ReadKubeconfigs {
  /** Absolute. */
  readonly paths: readonly string[]
  readonly config: MergedKubeconfig
  readonly isOfPod: boolean
}

/** The merged kubeconfig, or that of the Pod where there is none. */
export async function readKubeconfigs(c: CommandContext): Promise<Result<ReadKubeconfigs, CliFailure>> {
  const { globals } = c
  const paths = pathsOf(c).map((path) => absolute(c, path))
  const texts = await loadKubeconfigs(c.env, paths)
  if (!texts.ok) return refused(c, texts.error)
  if (globals.kubeconfig !== undefined && texts.value.length === 0)
    return refused(c, { path: paths[0]!, field: '', message: 'does not exist (--kubeconfig)' })
  const merged = mergeKubeconfigs(texts.value)
  if (!merged.ok) return refused(c, merged.error)
  if (globals.kubeconfig !== undefined || !isEmpty(merged.value))
    return ok({ paths, config: merged.value, isOfPod: false })
  const pod = await podKubeconfig(c)
  const ofPod = pod && mergeKubeconfigs([pod])
  if (ofPod?.ok) return ok({ paths: [], config: ofPod.value, isOfPod: true })
  if (globals.hub.server !== undefined) return ok({ paths: [], config: merged.value, isOfPod: false })
  return noneFound(c)
}

function pathsOf({ host, globals }: CommandContext): readonly string[] {
  if (globals.kubeconfig !== undefined) return [globals.kubeconfig]
  const list = (host.variables.KUBECONFIG ?? '').split(':').filter((p) => p !== '')
  return list.length > 0 ? list : [join(host.home, '.kube', 'config')]
}

const absolute = ({ host }: CommandContext, path: string): string =>
  isAbsolute(path) ? path : join(host.cwd, path)

const isEmpty = ({ clusters, users, contexts, currentContext }: MergedKubeconfig): boolean =>
  clusters.size + users.size + contexts.size === 0 && currentContext === undefined

/** Undefined: this is not a Pod with a token. */
async function podKubeconfig({ host, env }: CommandContext): Promise<KubeconfigText | undefined> {
  const folder = host.serviceAccount
  const token = await env.files.read(join(folder, 'token'))
  if (!token.ok) return undefined
  const namespace = await env.files.read(join(folder, 'namespace'))
  const text = namespace.ok ? new TextDecoder().decode(namespace.value).trim() : undefined
  return inClusterKubeconfig(host.variables, folder, text)
}

function noneFound(c: CommandContext) {
  const { KUBECONFIG } = c.host.variables
  const tried = KUBECONFIG ? `KUBECONFIG ${KUBECONFIG}` : 'KUBECONFIG and ~/.kube/config'
  return kubeconfigFailed(`no kubeconfig (tried ${tried}), and this is not a Pod`)
}

/** Files are named as they were given. `merged`: files of a failure that is not of one of them. */
function refused(c: CommandContext, failure: KubeconfigFailure, merged: readonly string[] = []) {
  const text = kubeconfigFailureText(failure)
  const paths = failure.path === undefined ? merged : [failure.path]
  const given = pathsOf(c).filter((path) => paths.includes(absolute(c, path)))
  const names = given.join(', ')
  const isNamed = names === '' || text.startsWith(`${failure.path}: `)
  const f = kubeconfigFailed(isNamed ? text : `${names}: ${text}`)
  return given.length === 1 ? { ...f, error: { ...f.error, file: names } } : f
}

export function kubeconfigFailed(problem: string) {
  const f = failed('E_KUBECONFIG', { problem })
  return { ...f, error: { ...f.error, hint: `${f.error.hint}; ${OR_UP}` } }
}
