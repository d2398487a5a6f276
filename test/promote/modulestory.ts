/** Modules on the hub that promotions write, and who else owns what of them. */
import { type Module, moduleKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { PROMOTION_MANAGER } from '../../packages/lockstep/src/controllers/promotion/strategies/modulestrategy.ts'
import { PROMOTION_ANNOTATION } from '../../packages/lockstep/src/decisions/promotion/moduleedit.ts'
import { must } from '../fleet/simfleet.ts'
import type { PipelineStory } from './pipelinestory.ts'

const APP = { apiVersion: 'lockstep.dev/v1alpha1', kind: 'Module' } as const

/** Of a pipeline: what carries its revision are Modules. */
export const ofModules = { appRef: { ...APP, name: 'podinfo' } }

/** As somebody applies it with a tool of that name; what they leave out any more is theirs no longer. */
export async function applied(
  story: PipelineStory,
  namespace: string,
  spec: object,
  manager = 'flux',
): Promise<void> {
  const body = { ...APP, metadata: { name: 'podinfo', namespace }, spec }
  const o = { purpose: 'user', manager, precondition: 'any' } as const
  must(await story.during(story.fleet.hub.apply(moduleKind, body, o)))
}

/** One field of it is promoted from now on: shared first, and then left out by whoever had it (kubernetes.io, "Transferring ownership"). */
export async function handedOver(
  story: PipelineStory,
  namespace: string,
  spec: object,
  field: object,
): Promise<void> {
  await applied(story, namespace, merged(spec, field))
  await applied(story, namespace, field, PROMOTION_MANAGER)
  await applied(story, namespace, spec)
}

const merged = (a: object, b: object): object => {
  const out: Record<string, unknown> = { ...a }
  for (const [k, v] of Object.entries(b)) {
    const old = out[k]
    out[k] = isPlain(old) && isPlain(v) ? merged(old, v) : v
  }
  return out
}

const isPlain = (v: unknown): v is object => typeof v === 'object' && v !== null && !Array.isArray(v)

export const moduleIn = (story: PipelineStory, namespace: string): Promise<Module> =>
  story
    .during(story.fleet.hub.get(moduleKind, { namespace, name: 'podinfo' }, { purpose: 'user' }))
    .then((m) => must(m) as Module)

/** Which Modules promotions have written, in their order. */
export const written = (story: PipelineStory): string[] =>
  story.fleet.commits
    .filter((c) => c.resource === 'modules.lockstep.dev' && c.actor === PROMOTION_MANAGER)
    .filter((c) => c.next?.metadata.annotations?.[PROMOTION_ANNOTATION] !== undefined)
    .map((c) => c.next?.metadata.namespace ?? '')
