import { isAbsolute, join } from 'node:path'
import { allOk, REQUEST_TIMEOUT_MS, type Result, trusting } from '@lockstep/kube/env'
import { type ExecProviders, noProviders, parseProviders } from '../../../fleet/credentials/index.ts'
import {
  allowClusterProxyOption,
  allowHostOption,
  allowHostsOf,
  argocdNamespacesOf,
  argocdNamespacesOption,
  authoritiesOf,
  cacheDirOf,
  cacheDirOption,
  caFileOption,
  clusterProxiesOf,
  gitAuthorOf,
  gitAuthorOption,
  maxRemovalOf,
  maxRemovalOption,
  maxSourceTimeoutOf,
  maxSourceTimeoutOption,
} from '../../kit/controllerflags/index.ts'
import { openHub, requireInstalled } from '../../kit/hub/index.ts'
import {
  type CliFailure,
  type Command,
  type CommandContext,
  type CommandResult,
  durationFlag,
  type Flags,
  failed,
  isSet,
  lockstepVersion,
  nodeEndOfLife,
  stoppedCode,
  textFlag,
} from '../../kit/index.ts'
import {
  eventFlags,
  eventOptions,
  healthFlags,
  healthOptions,
  leaderFlags,
  leaderOptions,
  logOptions,
  metricFlags,
  metricOptions,
} from '../../kit/leader/index.ts'

/** `lockstep controller`. */
export const controllerCommand: Command = {
  name: 'controller',
  summary: 'Run the controllers against a hub until interrupted',
  detail:
    'Logs to standard error: one line for each decision, also where a problem begins and ends. Run two replicas for a hub: the holder of the Lease works, the other one waits. A process that loses the Lease stops at once with exit 1; restart it. SIGTERM ends it with exit 0 after its writes. The credential of the hub is read again while it runs. The file of --credential-provider is JSON: {"providers": [{"name": "gke", "servers": ["*.gke.goog"], "namespaces": ["fleet"], "execConfig": {"apiVersion": "client.authentication.k8s.io/v1", "command": "gke-gcloud-auth-plugin", "env": [], "provideClusterInfo": true}}]}. A ClusterProfile that offers one of these names uses its program. So does a cluster Secret of Argo CD with that command (for awsAuthConfig: aws). Credentials go only to these servers, for clusters of these namespaces. The program gets PATH and this env only.',
  options: [
    {
      flags: '--credential-provider <file>',
      text: 'file with programs that return credentials for clusters',
      completes: 'file',
    },
    {
      flags: '--orphan-retention <duration>',
      text: 'time to keep Inventories of deleted clusters',
      default: '720h',
    },
    allowHostOption,
    allowClusterProxyOption,
    caFileOption,
    cacheDirOption,
    argocdNamespacesOption,
    maxRemovalOption,
    maxSourceTimeoutOption,
    gitAuthorOption,
    ...leaderOptions,
    ...eventOptions,
    ...healthOptions,
    ...metricOptions,
    ...logOptions,
    { flags: '--serve-weave-pipelines', text: 'serve Pipelines of pipelines.weave.works unchanged' },
    { flags: '--managed-all', text: 'serve all of them, not only those with lockstep.dev/managed: "true"' },
  ],
  log: 'info',
  formats: ['table'],
  examples: [
    ['Use the current context', 'controller'],
    ['Use a named context, with debug logs', 'controller --context hub -v'],
    ['Run one replica, without a Lease', 'controller --leader-elect=false'],
    [
      'Receive events of Pipelines, and serve metrics and probes',
      'controller --events-address :8082 --metrics-address :8080 --health-address :8081',
    ],
  ],
  async run(c, _args, flags) {
    const ended = await runController(c, flags)
    return c.signal.aborted && !ended.ok ? { ok: true, value: stoppedCode(c.signal) } : ended
  },
}

async function runController(given: CommandContext, flags: Flags): Promise<CommandResult> {
  const read = allOk({
    retentionMs: durationFlag('orphan-retention', textFlag(flags, 'orphanRetention') ?? '720h'),
    leader: leaderFlags(flags),
    events: eventFlags(flags),
    health: healthFlags(flags),
    metrics: metricFlags(flags),
    weave: weaveFlags(flags),
    timeout: checkTimeout(given),
    maxRemoval: maxRemovalOf(flags),
    maxSourceTimeoutMs: maxSourceTimeoutOf(flags),
    person: gitAuthorOf(flags),
    allowHosts: allowHostsOf(flags),
    clusterProxies: clusterProxiesOf(flags),
    argocdNamespaces: argocdNamespacesOf(flags),
    providers: await readProviders(given, textFlag(flags, 'credentialProvider')),
    authorities: await authoritiesOf(given.env, flags),
    cacheDir: await cacheDirOf(given, flags),
  })
  if (!read.ok) return read
  const { leader, events, health, metrics, ...options } = read.value
  const { env } = given
  const ended = nodeEndOfLife(given.host.node, env.clock.now())
  if (ended !== undefined) env.log.warn(ended, { reason: 'NodeEndOfLife' })
  const c = { ...given, env: { ...env, net: trusting(env.net, options.authorities) } }
  const hub = await openHub(c, { trust: 'Controller', agent: 'lockstep-controller' })
  if (!hub.ok) return hub
  const installed = await requireInstalled(c, hub.value)
  if (!installed.ok) return installed
  const version = await lockstepVersion(c)
  if (!version.ok) return version
  // Large: the help comes without it.
  const { runAsLeader } = await import('../../kit/leader/index.ts')
  return runAsLeader(
    c,
    hub.value,
    { leader, events, health, metrics, version: version.value },
    {
      cacheDir: options.cacheDir,
      providers: options.providers,
      orphanRetentionMs: options.retentionMs,
      maxRemoval: options.maxRemoval,
      maxSourceTimeoutMs: options.maxSourceTimeoutMs,
      allowHosts: options.allowHosts,
      clusterProxies: options.clusterProxies,
      argocdNamespaces: options.argocdNamespaces,
      person: options.person,
      ...(options.weave ? { weave: options.weave } : {}),
    },
  )
}

/** Undefined: Pipelines of Weave are not served. */
function weaveFlags(flags: Flags): Result<{ readonly managesAll: boolean } | undefined, CliFailure> {
  const managesAll = isSet(flags, 'managedAll')
  if (isSet(flags, 'serveWeavePipelines')) return { ok: true, value: { managesAll } }
  if (!managesAll) return { ok: true, value: undefined }
  return failed('E_USAGE', {
    problem: '--managed-all requires --serve-weave-pipelines',
    suggestion: 'add --serve-weave-pipelines',
  })
}

/** A leader trusts that nothing of one before it arrives later (`docs/adr/0035`). */
function checkTimeout({ globals }: CommandContext): Result<void, CliFailure> {
  if (globals.requestTimeoutMs <= REQUEST_TIMEOUT_MS) return { ok: true, value: undefined }
  return failed('E_USAGE', {
    problem: `--request-timeout ${globals.requestTimeoutMs / 1000}s: must be at most ${REQUEST_TIMEOUT_MS / 1000}s for a controller`,
    suggestion: `for example: --request-timeout ${REQUEST_TIMEOUT_MS / 1000}s`,
  })
}

async function readProviders(
  c: CommandContext,
  path: string | undefined,
): Promise<Result<ExecProviders, CliFailure>> {
  if (path === undefined) return { ok: true, value: noProviders }
  const read = await c.env.files.read(isAbsolute(path) ? path : join(c.host.cwd, path))
  if (!read.ok)
    return failed('E_FILE_READ', {
      path,
      problem: read.error.kind === 'NotFound' ? 'does not exist' : read.error.message,
    })
  const providers = parseProviders(path, new TextDecoder().decode(read.value))
  return providers.ok ? providers : failed('E_PROVIDER_FILE', { path, problem: providers.error })
}
