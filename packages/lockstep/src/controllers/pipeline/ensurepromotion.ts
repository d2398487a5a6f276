/** The Promotion of an intent: there once, whoever makes it, and however often. */

import type { RequestError } from '@lockstep/kube/client'
import type { Stored } from '@lockstep/kube/object'
import { GROUP, VERSION } from '../../api/apiversion.ts'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import {
  type Environment,
  type Pipeline,
  type Promotion,
  pipelineKind,
  promotionKind,
} from '../../api/kinds/index.ts'
import { MANAGER, PULL_REQUESTS_FINALIZER } from '../../api/labels.ts'
import {
  type EnvironmentIntent,
  promotionName,
  promotionRef,
  shouldClosePullRequests,
  sourceNames,
} from '../../decisions/promotion/index.ts'
import type { HubInformers } from '../cache/index.ts'
import type { PipelineDeps } from './pipelinedeps.ts'

/**
 * An object of the name of an intent's Promotion that is none of this pipeline: somebody else has made it, or a pipeline that is not
 * there any more. Undefined: there is none, or it is the one.
 */
export function promotionNameTaken(
  { promotions }: Pick<HubInformers, 'promotions'>,
  pipeline: Stored<Pipeline>,
  environment: string,
  intent: EnvironmentIntent,
): NewBlocker | undefined {
  const { namespace = '' } = pipeline.metadata
  const name = promotionNameOf(pipeline, environment, intent)
  const found = promotions.store.get({ namespace, name })?.spec
  const wanted = {
    identity: pipeline.spec.identity,
    environment,
    epoch: intent.epoch,
    revision: intent.revision,
  }
  const other = found && Object.entries(wanted).find(([k, v]) => found[k as keyof typeof wanted] !== v)
  const isTheirs = found && found.pipelineRef.name !== pipeline.metadata.name
  if (!other && !isTheirs) return undefined
  const on = [promotionRef({ namespace, name })] as const
  const { identity } = pipeline.spec
  return isTheirs
    ? blocked('IdentityConflict', on, { because: 'Owner', identity, owner: found.pipelineRef.name })
    : blocked('IdentityConflict', on, { because: 'Field', identity, field: other![0] })
}

const API_VERSION = `${GROUP}/${VERSION}`

export const promotionNameOf = (
  { spec: { identity } }: Stored<Pipeline>,
  environment: string,
  { epoch, revision }: EnvironmentIntent,
): string => promotionName({ identity, environment, epoch, revision })

/** One that is there already has this very name, which is made of all that makes it another one. */
export async function ensurePromotion(
  { hub }: Pick<PipelineDeps, 'hub'>,
  pipeline: Stored<Pipeline>,
  environment: Environment,
  intent: EnvironmentIntent,
): Promise<RequestError | undefined> {
  const { name, uid, namespace = '' } = pipeline.metadata
  const { spec } = pipeline
  const index = spec.environments.indexOf(environment)
  const promotion: Promotion = {
    apiVersion: API_VERSION,
    kind: promotionKind.kind,
    metadata: {
      name: promotionNameOf(pipeline, environment.name, intent),
      namespace,
      ownerReferences: [{ apiVersion: API_VERSION, kind: pipelineKind.kind, name, uid }],
      ...(shouldClosePullRequests(pipeline, environment.promotion!)
        ? { finalizers: [PULL_REQUESTS_FINALIZER] }
        : {}),
    },
    spec: {
      pipelineRef: { kind: pipelineKind.kind, name },
      identity: spec.identity,
      environment: environment.name,
      epoch: intent.epoch,
      revision: intent.revision,
      ...(intent.release === undefined ? {} : { release: intent.release }),
      from: [...sourceNames(spec.environments, index)],
      ...(intent.asked && intent.requestID !== undefined ? { requestID: intent.requestID } : {}),
      ...(intent.rollbackOf === undefined ? {} : { rollbackOf: intent.rollbackOf }),
      settings: environment.promotion!,
    },
  }
  const made = await hub.own.create(promotionKind, promotion, { purpose: 'record', manager: MANAGER })
  if (made.ok) hub.promotions.observeWrite(made.value)
  return made.ok || made.error.kind === 'AlreadyExists' ? undefined : made.error
}
