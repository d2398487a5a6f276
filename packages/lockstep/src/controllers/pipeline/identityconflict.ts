/** Whose an identity is: names, keys and branches are made of it, so that two who act would do the same thing twice. */

import { keyText, type Stored } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { Pipeline } from '../../api/kinds/index.ts'
import { pipelineRef } from '../../decisions/promotion/index.ts'
import type { PipelineDeps } from './pipelinedeps.ts'

/** The older one acts; which that is, is the same to everybody. Undefined: it is this one. */
export function identityConflict(
  { hub }: Pick<PipelineDeps, 'hub'>,
  pipeline: Stored<Pipeline>,
): NewBlocker | undefined {
  const { identity } = pipeline.spec
  const age = (p: Stored<Pipeline>) => `${p.metadata.creationTimestamp} ${keyText(p.metadata)}`
  const [first] = [...hub.pipelines.store.by('identity', identity)].sort((a, b) => (age(a) < age(b) ? -1 : 1))
  if (!first || first.metadata.uid === pipeline.metadata.uid) return undefined
  return blocked('IdentityConflict', [pipelineRef(first.metadata)], { because: 'Pipeline', identity })
}
