/** Which changes concern which Promotions. */
import { keyText, type Stored } from '@lockstep/kube/object'
import type { Pipeline, Promotion } from '../../api/kinds/index.ts'
import type { HubInformers } from '../cache/index.ts'
import {
  PIPELINE_CONTROLLER,
  pipelineOfTarget,
  pipelinesOn,
  providerSecretName,
  secretId,
} from '../pipeline/index.ts'
import {
  always,
  anyCluster,
  type ObjectKey,
  objectKey,
  on,
  onCluster,
  onSecret,
  onSelection,
  type WatchIndex,
  type WatchRule,
} from '../runtime/index.ts'

interface PromotionRouteDeps {
  readonly hub: Pick<HubInformers, 'pipelines' | 'promotions'>
  readonly watchIndex: WatchIndex
}

/** Promotions of a pipeline. */
export const promotionsOf = ({ hub }: Pick<PromotionRouteDeps, 'hub'>, pipeline: ObjectKey): ObjectKey[] =>
  [...hub.promotions.store.by('pipeline', keyText(pipeline))].map((p) => objectKey.of(p.metadata))

/** The pipeline of a Promotion. */
export function pipelineOfKey(
  { hub }: Pick<PromotionRouteDeps, 'hub'>,
  key: ObjectKey,
): Stored<Pipeline> | undefined {
  const found = hub.promotions.store.get(key)
  return found && hub.pipelines.store.get({ namespace: key.namespace, name: found.spec.pipelineRef.name })
}

/**
 * Its Pipeline, with what that reads, and credentials; `hurry`: a request that the old ones did not permit is repeated at once.
 */
export const promotionWatches = (
  d: PromotionRouteDeps,
  hurry: (promotion: Stored<Promotion>) => void,
): WatchRule<ObjectKey>[] => [
  on('pipelines', always, (p) => promotionsOf(d, objectKey.of(p.metadata))),
  on('holds', always, (h) => pipelineOfTarget(h).flatMap((p) => promotionsOf(d, p))),
  on('approvals', always, (a) => pipelineOfTarget(a).flatMap((p) => promotionsOf(d, p))),
  onCluster(anyCluster, (view) => [...pipelinesOn(d, view)].flatMap((p) => promotionsOf(d, p))),
  // The Pipeline watches the targets.
  onSelection((view, id) =>
    d.watchIndex
      .of({ view, id })
      .flatMap(({ controller, key }) =>
        controller === PIPELINE_CONTROLLER && objectKey.is(key) ? promotionsOf(d, key) : [],
      ),
  ),
  onSecret((id) =>
    [...d.hub.promotions.store.all()].flatMap((p) => {
      const name = providerSecretName(p.spec.settings)
      if (name === undefined || secretId(p.metadata.namespace ?? '', name) !== id) return []
      hurry(p)
      return [objectKey.of(p.metadata)]
    }),
  ),
]
