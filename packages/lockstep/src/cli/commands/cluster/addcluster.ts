/** `lockstep cluster add`: an account on the cluster, and a Secret with its token on the hub. Repeating it repairs. */
import { type Endpoint, err, hostOf, isLoopback, ok, type Result } from '@lockstep/kube/env'
import { namespaceKind, type Secret, secretKind } from '@lockstep/kube/kinds'
import { bytesToBase64, encodeYaml, type Stored } from '@lockstep/kube/object'
import { CLI_MANAGER, CLUSTER_LABEL, RENEW_ANNOTATION } from '../../../api/labels.ts'
import { type RoleRule, roleRules } from '../../../deliver/rights/index.ts'
import { KUBECONFIG_KEY } from '../../../fleet/credentials/index.ts'
import { clusterOfKubeconfigSecret } from '../../../fleet/inventories/index.ts'
import { tokenKubeconfig } from '../../../fleet/kubeconfig/index.ts'
import { ClusterConnections, type OpenedContext, type OpenedHub } from '../../kit/hub/index.ts'
import {
  type CliFailure,
  type CommandContext,
  type CommandResult,
  type Flags,
  failed,
  requestFailure,
} from '../../kit/index.ts'
import { printObjects } from '../../kit/output/index.ts'
import {
  applyObjects,
  IDENTITY_RULES,
  type Registration,
  readRegistration,
  registrationObjects,
  sameClusterUid,
  withContext,
} from '../../kit/registration/index.ts'
import { rightsOnCluster } from '../../kit/rights/index.ts'
import { readSnapshot } from '../../kit/snapshot/index.ts'
import { fit, listText, plural } from '../../kit/terminal/index.ts'
import { type AddFlags, addFlags } from './addflags.ts'
import { findClusterSecret } from './clustersecret.ts'
import { endText, issueToken } from './rotatecluster.ts'

/** In the place of the token, where there is none yet. */
const NO_TOKEN = 'issued-when-the-cluster-is-added'

export async function addCluster(
  c: CommandContext,
  hub: OpenedHub,
  word: string,
  given: Flags,
): Promise<CommandResult> {
  const flags = await addFlags(c, word, given)
  if (!flags.ok) return flags
  return withContext(c, word, async (context) => {
    const addition = await prepare(c, hub, context, flags.value)
    if (!addition.ok) return addition
    return flags.value.isDryRun ? printPlan(c, addition.value) : carryOut(c, addition.value)
  })
}

interface Addition {
  readonly hub: OpenedHub
  readonly context: OpenedContext
  readonly flags: AddFlags
  readonly registration: Registration
  /** The present Secret of this name. */
  readonly present: Stored<Secret> | undefined
  readonly rules: readonly RoleRule[]
  /** Modules that the rights are for; undefined: for no Modules. */
  readonly modules: readonly string[] | undefined
}

/** Reads only. */
async function prepare(
  c: CommandContext,
  hub: OpenedHub,
  context: OpenedContext,
  flags: AddFlags,
): Promise<Result<Addition, CliFailure>> {
  const server = checkServer(context, flags)
  if (!server.ok) return server
  const registration = await readRegistration(c, hub, flags.name)
  if (!registration.ok) return registration
  const present = await findClusterSecret(c, hub, flags.name)
  if (!present.ok) return present
  const uid = await sameClusterUid(c, hub, flags.name, context)
  if (!uid.ok) return uid
  const notHub = await requireOther(c, hub, context, uid.value)
  if (!notHub.ok) return notHub
  const base = { hub, context, flags, registration: registration.value, present: present.value }
  if (flags.rights !== 'Modules')
    return ok({
      ...base,
      rules: [...IDENTITY_RULES, ...(flags.rights === 'Read' ? [] : flags.rights)],
      modules: undefined,
    })
  const needed = await neededRules(c, base)
  return needed.ok ? ok({ ...base, ...needed.value }) : needed
}

/** Refuses a server that the controller would refuse. */
function checkServer({ name, endpoint }: OpenedContext, flags: AddFlags): Result<void, CliFailure> {
  const url = flags.server ?? endpoint.url
  const refused = (problem: string, suggestion: string) => failed('E_USAGE', { problem, suggestion })
  if (!URL.canParse(url) || !url.startsWith('https://'))
    return refused(
      `${url}: the controller connects by https only`,
      'give an address with --cluster-server https://HOST',
    )
  if (endpoint.tls?.insecure)
    return refused(
      `context ${name} does not verify the certificate of its server, and the controller does`,
      'set certificate-authority-data in the kubeconfig',
    )
  return ok(undefined)
}

/** The hub itself is not a cluster: Modules target it by `spec.targets.hub`. Users who may not read its identity are not stopped. */
async function requireOther(
  c: CommandContext,
  hub: OpenedHub,
  context: OpenedContext,
  uid: string,
): Promise<Result<void, CliFailure>> {
  const found = await hub.client.get(
    namespaceKind,
    { name: 'kube-system' },
    { purpose: 'user', signal: c.signal },
  )
  if (!found.ok || found.value.metadata.uid !== uid) return ok(undefined)
  return failed('E_REFUSED', {
    ref: `context ${context.name}`,
    problem: 'is the hub itself',
    suggestion: 'Modules target the hub by spec.targets.hub',
  })
}

type NeededRules = Pick<Addition, 'rules' | 'modules'>

/** For the Modules that would select the cluster. */
async function neededRules(
  c: CommandContext,
  a: Omit<Addition, 'rules' | 'modules'>,
): Promise<Result<NeededRules, CliFailure>> {
  const { hub, context, flags } = a
  const snapshot = await readSnapshot(c, hub)
  if (!snapshot.ok) return snapshot
  const served = await context.client.discover({ purpose: 'user', signal: c.signal })
  if (!served.ok) return requestFailure(served.error, context.server)
  const body = secretOf(a, NO_TOKEN)
  const meta = { name: flags.name, uid: '', resourceVersion: '', creationTimestamp: '' }
  const view = clusterOfKubeconfigSecret({ ...body, metadata: { ...body.metadata, ...meta } }, [])
  const reached = new Map([[view.name, { client: context.client, served: served.value }]])
  const clusters = new ClusterConnections(c, hub, [view], reached)
  const place = { hub, snapshot: snapshot.value, view, served: served.value, clusters }
  const found = await rightsOnCluster(c, place)
  await clusters.close()
  if (!found.ok) return found
  for (const u of found.value.unknown) c.terminal.talk(`warning: rights are unknown: ${u}`)
  if (snapshot.value.clusters.some((v) => v.name === flags.name && v.kind !== 'Secret'))
    c.terminal.talk(`warning: another inventory has a cluster ${flags.name}; this one gets a longer name`)
  return ok({ rules: roleRules(found.value.rights), modules: found.value.modules })
}

function secretOf(
  { hub, context, flags, present }: Omit<Addition, 'rules' | 'modules'>,
  token: string,
): Secret {
  const { metadata } = present ?? {}
  const { tls }: Endpoint = context.endpoint
  const { name } = flags
  const kubeconfig = tokenKubeconfig({
    name,
    server: flags.server ?? context.endpoint.url,
    ca: tls?.ca,
    tlsServerName: flags.server === undefined ? tls?.serverName : undefined,
    token,
  })
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace: hub.namespace,
      labels: { ...metadata?.labels, ...flags.labels, [CLUSTER_LABEL]: 'true' },
      annotations: { ...metadata?.annotations, [RENEW_ANNOTATION]: `${flags.seconds}s` },
    },
    data: { [KUBECONFIG_KEY]: bytesToBase64(new TextEncoder().encode(kubeconfig)) },
  }
}

function printPlan(c: CommandContext, a: Addition): CommandResult {
  const { terminal: t } = c
  const objects = registrationObjects(a.registration, a.rules)
  const { data: _data, ...secret } = secretOf(a, NO_TOKEN)
  const all = [...objects, { kind: secretKind, object: secret }]
  if (printObjects(c, all)) return ok(0)
  t.print(`# On the cluster of context ${a.context.name}`)
  t.data(objects.map(({ object }) => encodeYaml(object)).join('---\n'))
  t.print(`# On the hub: with a kubeconfig for ${a.flags.server ?? a.context.endpoint.url}`)
  t.data(encodeYaml(secret))
  t.talk('Nothing was written (--dry-run).')
  return ok(0)
}

async function carryOut(c: CommandContext, a: Addition): Promise<CommandResult> {
  const { context, registration, flags, hub } = a
  const { terminal: t, globals } = c
  const tell = (text: string): void => {
    if (globals.output === 'table' || globals.output === 'wide') t.print(fit(t.look, text))
  }
  const objects = registrationObjects(registration, a.rules)
  const applied = await applyObjects(c, context, objects, (text) => tell(`${text} applied`))
  if (!applied.ok) return applied
  const token = await issueToken(c, context, { account: registration.account, seconds: flags.seconds })
  if (!token.ok) return toBeContinued(token.error)
  const written = await writeSecret(c, a, token.value)
  if (!written.ok) return written
  warnOfLoopback(c, a)
  if (printObjects(c, [{ kind: secretKind, object: written.value }])) return ok(0)
  tell(
    `Secret ${hub.namespace}/${flags.name} ${a.present ? 'changed' : 'created'}${endText(c, written.value)}`,
  )
  t.print('')
  for (const line of lastLines(a)) t.print(fit(t.look, line))
  return ok(0)
}

async function writeSecret(c: CommandContext, a: Addition, token: string) {
  const { hub, present, flags } = a
  const body = secretOf(a, token)
  const call = { purpose: 'user', manager: CLI_MANAGER, signal: c.signal } as const
  const { uid = '', resourceVersion = '' } = present?.metadata ?? {}
  const { labels, annotations } = body.metadata
  const patch = { metadata: { labels, annotations }, data: body.data } as never
  const written = await (present
    ? hub.client.patch(secretKind, { namespace: hub.namespace, name: flags.name }, patch, {
        ...call,
        precondition: { uid, resourceVersion },
      })
    : hub.client.create(secretKind, body, call))
  if (written.ok) return written
  return toBeContinued(requestFailure(written.error, hub.server).error)
}

/** Before the Secret is written. */
const toBeContinued = (error: CliFailure) =>
  err({ ...error, aftermath: 'The account is on the cluster; run it again to continue.' })

function warnOfLoopback(c: CommandContext, { flags, context, hub }: Addition): void {
  const url = flags.server ?? context.endpoint.url
  const { host, port } = hostOf({ url })
  if (!isLoopback(host)) return
  c.terminal.talk(
    `warning: ${host} is loopback: start the controller with --allow-host ${hub.namespace}=${host}:${port}, or give --cluster-server`,
  )
}

function lastLines({ flags, hub, modules, rules }: Addition): string[] {
  const { name, rights } = flags
  const head = `cluster/${name} is registered in namespace ${hub.namespace}.`
  if (rights === 'Read') return [head, 'Nothing can be delivered there: the account has no rights for it.']
  if (modules === undefined) return [head, `The account has ${plural(rules.length, 'rule')} of --rights.`]
  if (modules.length > 0)
    return [
      head,
      `The account has the rights that ${listText(modules)} ${modules.length === 1 ? 'needs' : 'need'}.`,
    ]
  return [
    head,
    `No Module selects it yet, so nothing can be delivered there. When one does: lockstep rights --cluster ${name} --cluster-context CONTEXT --apply`,
  ]
}
