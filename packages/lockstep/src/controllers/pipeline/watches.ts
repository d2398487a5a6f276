/** Which changes concern which Pipelines, and their Promotions. */
import type { Stored } from '@lockstep/kube/object'
import type { Approval, Hold, Pipeline, Promotion } from '../../api/kinds/index.ts'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import { selectionId } from '../../fleet/connection/index.ts'
import { type HubInformers, inputSelection, targetsPipeline } from '../cache/index.ts'
import {
  always,
  anyCluster,
  type ObjectKey,
  objectKey,
  on,
  onCluster,
  onSecret,
  type WatchRule,
} from '../runtime/index.ts'
import { isWebhookSecret } from './eventreceiver.ts'
import { providerSecretName } from './provideraccess.ts'

interface PipelineRouteDeps {
  readonly hub: Pick<HubInformers, 'pipelines'>
}

export const pipelineOfPromotion = ({ metadata, spec }: Stored<Promotion>): ObjectKey =>
  objectKey.of({ namespace: metadata.namespace, name: spec.pipelineRef.name })

/** The Pipeline that a Hold or an Approval is about; none: it is about a module. */
export const pipelineOfTarget = (object: Stored<Hold | Approval>): ObjectKey[] => {
  const { metadata, spec } = object
  if (!targetsPipeline(object)) return []
  return [objectKey.of({ namespace: metadata.namespace, name: spec.targetRef.name })]
}

/** The id under which a Secret of a namespace is watched. */
export const secretId = (namespace: string, name: string): string =>
  selectionId(inputSelection('Secret', { namespace, name }))

function hasTargetOn({ metadata, spec }: Stored<Pipeline>, view: ClusterView): boolean {
  const isHub = view.access.type === 'Hub'
  if (!isHub && metadata.namespace !== view.namespace) return false
  const isThere = (name: string | undefined) => (isHub ? name === undefined : name === view.name)
  return spec.environments.some((e) => e.targets.some(({ clusterRef }) => isThere(clusterRef?.name)))
}

/** Pipelines with a target on a cluster: an unreadable target blocks the environments after it. */
export function* pipelinesOn({ hub }: PipelineRouteDeps, view: ClusterView): Iterable<ObjectKey> {
  for (const p of hub.pipelines.store.all()) if (hasTargetOn(p, view)) yield objectKey.of(p.metadata)
}

/** Its environments, their targets and credentials; Holds, Approvals, and Pipelines of the same identity. */
export const pipelineWatches = ({ hub }: PipelineRouteDeps): WatchRule<ObjectKey>[] => [
  on('holds', always, pipelineOfTarget),
  on('approvals', always, pipelineOfTarget),
  // Only the oldest Pipeline of an identity promotes.
  on('pipelines', always, (pipeline) =>
    [...hub.pipelines.store.by('identity', pipeline.spec.identity)]
      .filter(
        ({ metadata }) =>
          metadata.name !== pipeline.metadata.name || metadata.namespace !== pipeline.metadata.namespace,
      )
      .map((p) => objectKey.of(p.metadata)),
  ),
  onCluster(anyCluster, (view) => pipelinesOn({ hub }, view)),
  onSecret(
    (id) =>
      [...hub.pipelines.store.all()].filter((p) => namesSecret(p, id)).map((p) => objectKey.of(p.metadata)),
    (id) => [...hub.pipelines.store.all()].some((p) => isWebhookSecret(p, id)),
  ),
]

const namesSecret = ({ metadata, spec }: Stored<Pipeline>, id: string): boolean =>
  spec.environments.some((e) => {
    const name = e.promotion && providerSecretName(e.promotion)
    return name !== undefined && secretId(metadata.namespace ?? '', name) === id
  })
