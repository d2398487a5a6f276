/** What a module would deliver that is written down in files and may not be on the hub yet. */

import { requestErrorText } from '@lockstep/kube/client'
import { allowingHosts, err, LOOPBACK, ok, type Result } from '@lockstep/kube/env'
import { type ConfigMap, configMapKind, type Secret, secretKind } from '@lockstep/kube/kinds'
import { digestOf, type KubeObject } from '@lockstep/kube/object'
import { API_VERSION } from '../../../api/apiversion.ts'
import { type Module, moduleKind } from '../../../api/kinds/index.ts'
import { rendered, sourceRequestOf } from '../../../controllers/publish/index.ts'
import { MAX_SOURCE_TIMEOUT_MS } from '../../../controllers/runtime/index.ts'
import { mentioned } from '../../../decisions/binding/index.ts'
import { applicationModules } from '../../../decisions/clustergroup/index.ts'
import { moduleRefOf } from '../../../deliver/plan/index.ts'
import { splitCompanions } from '../../../sources/clustergroup/index.ts'
import { namedInputs } from '../../../sources/configmap/index.ts'
import {
  type Bundle,
  bindValues,
  bundleOf,
  fault,
  type HubReader,
  isSensitive,
  type NamedInput,
  type SecretReaders,
  type SourceFailure,
  Upstreams,
  upstreamFetcher,
  valuesBundle,
} from '../../../sources/intake/index.ts'
import { resolveSource } from '../../../sources/registry.ts'
import type { ClusterConnections, HubConnection } from '../hub/index.ts'
import type { CommandContext } from '../index.ts'
import { readBindings } from '../units/index.ts'

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
  // The file is the person's own, and so are servers on this machine.
  const env = { ...c.env, net: allowingHosts(c.env.net, LOOPBACK) }
  const upstreams = new Upstreams(env, hub ? () => hub.client : noHub, { cacheDir: undefined }, () => woken())
  const asking = sourceRequestOf(moduleRefOf(module), module, MAX_SOURCE_TIMEOUT_MS)
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
  const objects = rendered(module, ok(own), (line) => warnings.push(line))
  if (!objects.ok) return objects
  const { name = '', namespace = '' } = module.metadata
  const beside = applicationModules(name, module.spec, applications).map((m) => ({
    apiVersion: API_VERSION,
    kind: moduleKind.kind,
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
  const options = { purpose: 'user', signal: c.signal } as const
  const got =
    kind === 'ConfigMap'
      ? await hub.client.get(configMapKind, { namespace, name }, options)
      : await hub.client.get(secretKind, { namespace, name }, options)
  if (got.ok) return got
  if (got.error.kind === 'NotFound') return ok(undefined)
  const facts = { because: 'Error', place: hub.server, error: requestErrorText(got.error) } as const
  return err(fault('HubUnreachable', facts, true))
}

/** Files alone have no credentials. */
const noHub: SecretReaders = () => ({
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
})

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
