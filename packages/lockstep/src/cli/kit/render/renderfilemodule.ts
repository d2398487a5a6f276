/** What a module would deliver that is written down in files and may not be on the hub yet. */
import {
  type ConfigMap,
  configMapKind,
  type Secret,
  secretKind,
} from '../../../../../kube/src/kinds/types.ts'
import { type Module, moduleKind } from '../../../api/registry.ts'
import { API_VERSION } from '../../../api/apiversion.ts'
import { rendered } from '../../../controllers/publish/publishdecision.ts'
import { sourceRequestOf } from '../../../controllers/publish/publisher.ts'
import { mentioned } from '../../../decisions/binding/mention.ts'
import { applicationModules } from '../../../decisions/clustergroup/modules/applicationmodules.ts'
import { moduleRefOf } from '../../../deliver/plan/unitnames.ts'
import { err, ok, type Result } from '../../../../../kube/src/env/result.ts'
import { requestErrorText } from '../../../../../kube/src/client/requesterror.ts'
import { digestOf, type KubeObject } from '../../../../../kube/src/object/index.ts'
import { upstreamFetcher } from '../../../sources/intake/upstreamfetcher.ts'
import { bindValues } from '../../../sources/intake/bindvalues.ts'
import { type Bundle, bundleOf, isSensitive } from '../../../sources/intake/bundlesecrets.ts'
import { splitCompanions } from '../../../sources/clustergroup/splitcompanions.ts'
import { fault, type SourceFailure } from '../../../sources/intake/sourcefailure.ts'
import { namedInputs } from '../../../sources/configmap/configmapsource.ts'
import { resolveSource } from '../../../sources/registry.ts'
import type { NamedInput, HubReader } from '../../../sources/intake/resolvedsource.ts'
import type { SecretReader } from '../../../sources/intake/sourcesecret.ts'
import { Upstreams } from '../../../sources/intake/upstreams.ts'
import { valuesBundle } from '../../../sources/intake/valuesbundle.ts'
import type { CommandContext } from '../command.ts'
import type { ClusterConnections } from '../hub/clusterconnections.ts'
import type { HubConnection } from '../hub/hub.ts'
import { readBindings } from '../units/readbindings.ts'

export interface RenderedFileModule {
  readonly objects: readonly KubeObject[]
  /** `main@sha1:…`, `configMaps@sha256:…`. */
  readonly sourceRevision: string
  /** What people should know of what was rendered. */
  readonly warnings: readonly string[]
}

type Input = ConfigMap | Secret

/** Inputs are those of the same files first, then those of the hub. */
export const renderFileModule = (
  c: CommandContext,
  module: Module,
  beside: readonly KubeObject[],
  hub: HubConnection | undefined,
): Promise<Result<RenderedFileModule, SourceFailure>> =>
  // Nothing is compared with these digests, and nobody sees them.
  asResolved(c, { module, beside, hub, keyed: () => ok(digestOf) }, (reading, outside) =>
    make(module, reading, outside),
  )

/** A module with all that it is made of. */
export interface ModuleInputs {
  readonly module: Module
  readonly beside: readonly KubeObject[]
  readonly hub: HubConnection | undefined
  readonly keyed: HubReader['keyed']
}

/** Asks again and again, until all that is fetched from outside has come. */
export async function asResolved<T>(
  c: CommandContext,
  { module, beside, hub, keyed }: ModuleInputs,
  ask: (reading: HubReader, outside: ReturnType<typeof upstreamFetcher>) => Result<T, SourceFailure>,
): Promise<Result<T, SourceFailure>> {
  const { namespace, name } = moduleRefOf(module)
  const inputs = await inputsOf(c, namespace, namedInputs(module.spec), beside, hub)
  const reading: HubReader = { namespace, name, find: (i) => inputs.get(nameOf(i)) ?? ok(undefined), keyed }
  let woken = (): void => {}
  const upstreams = new Upstreams(c.env, hub?.client ?? noHub, { cacheDir: undefined, files: false }, () =>
    woken(),
  )
  const asking = sourceRequestOf(moduleRefOf(module), module)
  try {
    for (;;) {
      const news = new Promise<void>((resolve) => {
        woken = resolve
      })
      const made = ask(
        reading,
        upstreamFetcher(upstreams, asking, () => {}),
      )
      if (made.ok || made.error.reason !== 'Fetching' || c.signal.aborted) return made
      await Promise.race([news, untilAborted(c.signal)])
    }
  } finally {
    await upstreams.close()
  }
}

/** Its objects as a cluster gets them. */
export async function bindFileModule(
  c: CommandContext,
  module: Module,
  objects: readonly KubeObject[],
  beside: readonly KubeObject[],
  on: { readonly hub: HubConnection; readonly clusters: ClusterConnections; readonly cluster: string },
): Promise<Result<Bundle, SourceFailure>> {
  const bundle = bundleOf(objects, isSensitive(objects), digestOf)
  const cluster = on.clusters.view(on.cluster)
  const names = mentioned(objects)
  if (!cluster || names.length === 0) return ok(bundle)
  const found = await readBindings(
    c,
    { ...on, cluster, beside },
    module.spec.bindings ?? [],
    names,
    new Map(),
  )
  return found.ok ? bindValues(bundle, valuesBundle(found.value, digestOf)) : found
}

function make(
  module: Module,
  reading: HubReader,
  outside: ReturnType<typeof upstreamFetcher>,
): Result<RenderedFileModule, SourceFailure> {
  const resolved = resolveSource(module.spec, reading, outside)
  if (!resolved.ok) return resolved
  const warnings: string[] = []
  const manifests = resolved.value.manifests((line) => warnings.push(line))
  if (!manifests.ok) return manifests
  const { manifests: own, applications } = splitCompanions(manifests.value)
  const objects = rendered(module, ok(own))
  if (!objects.ok) return objects
  const { name = '', namespace = '' } = module.metadata
  const beside = applicationModules(name, module.spec, applications).map((m) => ({
    ...{ apiVersion: API_VERSION, kind: moduleKind.kind },
    metadata: { name: m.name, namespace },
    spec: m.spec,
  }))
  const all = [...objects.value, ...(beside as unknown as KubeObject[])]
  return ok({ objects: all, sourceRevision: resolved.value.sourceRevision, warnings })
}

const nameOf = ({ kind, name }: NamedInput): string => `${kind}/${name}`

async function inputsOf(
  c: CommandContext,
  namespace: string,
  named: readonly NamedInput[],
  beside: readonly KubeObject[],
  hub: HubConnection | undefined,
): Promise<Map<string, Result<Input | undefined, SourceFailure>>> {
  const found = new Map<string, Result<Input | undefined, SourceFailure>>()
  for (const input of named) {
    const { kind, name } = input
    const written = beside.find(
      (o) => o.kind === kind && o.metadata.name === name && o.metadata.namespace === namespace,
    )
    found.set(nameOf(input), written ? ok(written as Input) : await onHub(c, namespace, input, hub))
  }
  return found
}

async function onHub(
  c: CommandContext,
  namespace: string,
  { kind, name }: NamedInput,
  hub: HubConnection | undefined,
): Promise<Result<Input | undefined, SourceFailure>> {
  if (!hub) return ok(undefined)
  const options = { why: 'user', signal: c.signal } as const
  const got =
    kind === 'ConfigMap'
      ? await hub.client.get(configMapKind, { namespace, name }, options)
      : await hub.client.get(secretKind, { namespace, name }, options)
  if (got.ok) return got
  if (got.error.kind === 'NotFound') return ok(undefined)
  return err(fault('HubUnreachable', `${hub.server}: ${requestErrorText(got.error)}`, true))
}

/** Files alone have no credentials. */
const noHub: SecretReader = {
  list: async ({ group, kind }) =>
    err({
      cluster: 'hub',
      verb: 'list',
      ref: { group, kind, name: '' },
      wrote: 'no',
      kind: 'Unreachable',
      phase: 'connect',
      detail: 'no kubeconfig names a hub, which has the credentials',
    }),
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
