/** Why a revision has not got into an environment: from its promotion back to where it comes from. Pure. */

import type { Stored } from '@lockstep/kube/object'
import { type Blocker, subjectOf, untilOf } from '../../../api/blocker.ts'
import type { Environment, Pipeline, Promotion } from '../../../api/kinds/index.ts'
import { adviceOf } from '../../../api/reasons/index.ts'
import type { Cause } from '../../../decisions/answer/index.ts'
import { sourceNames } from '../../../decisions/promotion/index.ts'
import type { WhyTree } from '../why/index.ts'
import {
  currentPromotion,
  environmentStatusOf,
  isRunning,
  type PipelineSnapshot,
} from './pipelinesnapshot.ts'
import { environmentState } from './pipelineview.ts'

/** Environments that are not where they are to be, in the order of the pipeline. */
export const environmentsBehind = ({ spec, ...p }: Stored<Pipeline>): string[] =>
  spec.environments
    .map((e) => e.name)
    .filter((name) => environmentState(environmentStatusOf({ spec, ...p }, name)) !== 'ready')

/** The chain of one environment. */
export function promotionTree(
  s: PipelineSnapshot,
  pipeline: Stored<Pipeline>,
  environment: Environment,
): WhyTree {
  const { metadata, status } = pipeline
  const of = environmentStatusOf(pipeline, environment.name)
  const own = nodes((status?.blockers ?? []) as readonly Blocker[], place(pipeline, environment.name))
  const causes = [...own, ...causesIn(s, pipeline, environment, new Set())]
  const state = environmentState(of)
  const [first] = causes
  return {
    namespace: metadata.namespace ?? '',
    module: `pipeline/${metadata.name}`,
    cluster: environment.name,
    state: state === 'failed' ? 'failed' : causes.length > 0 ? 'waits' : 'ready',
    has: of?.current ?? of?.settled?.revision ?? '',
    wants: of?.intent?.revision ?? of?.current ?? '',
    ...(first?.since === undefined ? {} : { since: first.since }),
    causes,
    clustersBehind: 0,
    modulesBehind: [],
    warnings: [],
  }
}

type EnvironmentPlace = Pick<Cause, 'module' | 'cluster'>
const place = ({ metadata }: Stored<Pipeline>, environment: string): EnvironmentPlace => ({
  module: `pipeline/${metadata.name}`,
  cluster: environment,
})

/** What its promotion waits for, or has ended with; what its targets lack; and, without a promotion, what its sources wait for. */
function causesIn(
  s: PipelineSnapshot,
  pipeline: Stored<Pipeline>,
  environment: Environment,
  seen: Set<string>,
): Cause[] {
  if (seen.has(environment.name)) return []
  seen.add(environment.name)
  const at = place(pipeline, environment.name)
  const of = environmentStatusOf(pipeline, environment.name)
  const index = pipeline.spec.environments.indexOf(environment)
  const promotion = currentPromotion(s, pipeline, environment.name)
  const blockers = (of?.blockers ?? []) as readonly Blocker[]
  const followed = new Map(nodes(blockers, at).map((node, i) => [node, environmentsOf(blockers[i]!)]))
  const out = [...promotionNodes(promotion, at), ...followed.keys()]
  if (of === undefined) return [{ ...leaf('Pipeline', 'Pending', 'waiting for the controller', at), ...at }]
  return unique(out).map((node) => {
    const names = sourceNames(pipeline.spec.environments, index)
    const from = (followed.get(node) ?? []).filter((name) => names.includes(name))
    const sources = pipeline.spec.environments.filter((e) => from.includes(e.name))
    const children = sources.flatMap((source) => causesIn(s, pipeline, source, seen))
    return children.length === 0 ? node : { ...node, isRoot: false, children }
  })
}

function promotionNodes(promotion: Stored<Promotion> | undefined, at: EnvironmentPlace): Cause[] {
  if (!promotion) return []
  const { phase = 'Pending', reason = phase, message = '', since, blockers = [] } = promotion.status ?? {}
  const label = `Promotion ${promotion.metadata.name}`
  if (!isRunning(promotion))
    return phase === 'Succeeded' || phase === 'Superseded'
      ? []
      : [{ ...leaf(label, reason, message, at), ...(since === undefined ? {} : { since }) }]
  const children = nodes(blockers as readonly Blocker[], at)
  const pull = promotion.status?.result?.pullRequest
  const text =
    phase === 'Open' && pull ? `waiting for the merge of pull request #${pull.number}: ${pull.url}` : phase
  return [
    {
      ...leaf(label, phase, text, at),
      ...(since === undefined ? {} : { since }),
      isRoot: children.length === 0,
      children,
    },
  ]
}

const nodes = (blockers: readonly Blocker[], at: EnvironmentPlace): Cause[] =>
  blockers.map((b) => ({
    ...leaf(subjectOf(b.on), b.reason, b.message, at),
    since: b.since,
    until: untilOf(b.on),
    advice: adviceOf(b),
  }))

/** Environments that a blocker waits for. */
const environmentsOf = ({ facts }: Blocker): readonly string[] =>
  Array.isArray(facts?.environments) ? facts.environments.map(String) : []

const leaf = (label: string, reason: string, text: string, at: EnvironmentPlace): Cause => ({
  label,
  reason,
  text,
  ...at,
  isRoot: true,
  children: [],
})

/** What a promotion waits for its environment may say, too. */
function unique(all: readonly Cause[]): Cause[] {
  const said = new Set(all.flatMap((n) => n.children.map((x) => x.text)))
  return all.filter((n) => n.children.length > 0 || !said.has(n.text))
}
