/** Reasons of environments of Pipelines: their targets and the environments before them. */
import { z } from 'zod'
import { firstName, listText, named, nameOf } from './nameof.ts'
import { number, oneOf, reason, text, texts } from './reason.ts'
import { anyNumber, oneOrMore, sampleOf, type WaitRef, type WaitRefOf } from './waitref.ts'

const lockstepObject = (kind: string, name: string): WaitRefOf<'Object'> => ({
  kind: 'Object',
  name,
  namespace: 'platform',
  object: { apiVersion: 'lockstep.dev/v1alpha1', kind },
})
const podinfo: WaitRefOf<'Object'> = {
  kind: 'Object',
  name: 'podinfo',
  namespace: 'prod',
  cluster: 'eu',
  object: { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization' },
}
const eu: WaitRefOf<'Cluster'> = { kind: 'Cluster', name: 'eu', namespace: 'platform' }

const of = (ref: WaitRef | undefined): string =>
  ref === undefined ? 'target' : named({ on: [ref], clusters: undefined })
/** `: text`, or nothing. */
const because = (detail: string | undefined): string =>
  detail === undefined || detail === '' ? '' : `: ${detail}`
const environmentsText = (names: readonly string[]): string =>
  `${names.length === 1 ? 'environment' : 'environments'} ${listText(names)}`

/** The lack of a target; `detail`: reason and message of its own condition. */
const targetLack = oneOf(
  'Absent',
  'Terminating',
  'NotObserved',
  'OldGeneration',
  'OldCondition',
  'NoCondition',
  'NotReady',
  'OtherRevision',
  'NoTarget',
)

const group = z.object({ revision: text, names: texts, count: number })
type RevisionGroup = Readonly<z.output<typeof group>>
const groupText = ({ revision, names, count }: RevisionGroup): string =>
  `${listText(names, count)} at ${revision}`

const whyUnreadable = oneOf('ClusterUnknown', 'NotConnected', 'NoAnswer', 'NotDiscovered', 'NotRead')
const UNREADABLE: Readonly<Record<z.output<typeof whyUnreadable>, string>> = {
  ClusterUnknown: 'not in the cluster inventory',
  NotConnected: 'not connected',
  NoAnswer: 'no answer',
  NotDiscovered: 'its API is not discovered yet',
  NotRead: 'not read yet',
}

export const environmentReasons = {
  TargetNotReady: reason({
    actor: 'cause',
    on: sampleOf('Object'),
    facts: {
      because: targetLack,
      detail: text.optional(),
      environment: text.optional(),
      generation: number.optional(),
      observed: number.optional(),
      current: text.optional(),
      revision: text.optional(),
    },
    message: (f) => {
      const target = of(f.on[0])
      const detail = because(f.detail)
      switch (f.because) {
        case 'Absent':
          return `${target} not found${detail}`
        case 'Terminating':
          return `${target} is terminating`
        case 'NotObserved':
          return `${target} is not reconciled yet: status.observedGeneration is missing`
        case 'OldGeneration':
          return `${target} is not reconciled yet: generation ${f.observed} of ${f.generation} observed`
        case 'OldCondition':
          return `${target} is not reconciled yet: condition Ready is of generation ${f.observed} of ${f.generation}`
        case 'NoCondition':
          return `${target} is not ready: condition Ready is missing`
        case 'NotReady':
          return `${target} is not ready${detail}`
        case 'OtherRevision':
          return `environment ${f.environment} is at ${f.current}: waiting for ${f.revision}`
        case 'NoTarget':
          return `environment ${f.environment} is not ready: no target is ready`
      }
    },
    meaning:
      'A target of an environment does not exist, is not ready, is at another revision, or has a change that its controller has not observed.',
    advice: (f) => {
      const [first] = f.on
      return first?.object === undefined
        ? 'read the conditions of the targets of the environment'
        : `make ${of(first)} ready: kubectl describe ${first.object.kind.toLowerCase()} ${first.name} -n ${first.namespace}`
    },
    examples: [
      {
        on: [podinfo],
        because: 'NotReady',
        detail: 'ReconciliationFailed: Deployment prod/podinfo timed out',
      },
      { on: [podinfo], because: 'OldGeneration', observed: 3, generation: 4 },
    ],
  }),
  TargetUnreachable: reason({
    actor: 'platform',
    on: oneOrMore('Object', 'Cluster'),
    facts: { because: whyUnreadable, detail: text.optional(), lastRevision: text.optional() },
    message: (f) => {
      const cluster = f.on.find((r) => r.kind === 'Cluster')
      const where = cluster === undefined ? 'hub' : nameOf(cluster)
      const last = f.lastRevision === undefined ? '' : `; last revision ${f.lastRevision} does not count`
      return `${of(f.on[0])} is unreachable: ${where}: ${UNREADABLE[f.because]}${because(f.detail)}${last}`
    },
    meaning: 'The cluster of a target does not answer, or is not in the cluster inventory.',
    advice: (f) => {
      const cluster = f.on.find((r) => r.kind === 'Cluster')
      return f.because === 'ClusterUnknown'
        ? `add ${cluster ? nameOf(cluster) : 'the cluster'} to the inventory, or correct clusterRef of the target`
        : `restore the connection to ${cluster ? nameOf(cluster) : 'the hub'}`
    },
    examples: [{ on: [podinfo, eu], because: 'NoAnswer', lastRevision: '6.0.0' }],
  }),
  RevisionsDiffer: reason({
    actor: 'cause',
    on: oneOrMore('Object'),
    facts: {
      of: oneOf('Targets', 'Environments'),
      environment: text,
      groups: z.array(group).readonly(),
    },
    message: (f) => {
      const groups = f.groups.map(groupText).join('; ')
      return f.of === 'Targets'
        ? `targets of environment ${f.environment} differ: ${groups}`
        : `sources of environment ${f.environment} differ: ${groups}`
    },
    meaning:
      'Targets of an environment, or the environments that its revisions come from, are at different revisions.',
    advice: () =>
      'no action needed if the revisions still move; otherwise repair the targets that are behind',
    examples: [
      {
        on: [podinfo],
        of: 'Targets',
        environment: 'prod',
        groups: [
          { revision: '6.0.0', names: ['prod/podinfo on eu'], count: 1 },
          { revision: '6.0.1', names: ['prod/podinfo on us'], count: 1 },
        ],
      },
    ],
  }),
  RevisionUnknown: reason({
    actor: 'owner',
    on: anyNumber('Object'),
    facts: {
      because: oneOf(
        'NotReported',
        'ExpressionFailed',
        'ExpressionNotText',
        'ExpressionMissing',
        'NotPublished',
      ),
      subject: text.optional(),
      revision: text.optional(),
      expression: text.optional(),
      error: text.optional(),
    },
    message: (f) => {
      const target = of(f.on[0])
      switch (f.because) {
        case 'NotPublished':
          return `${f.subject} requests revision ${f.revision}, which is not published in the namespace`
        case 'NotReported':
          return `${target} is ready without a revision: its status has none`
        case 'ExpressionFailed':
          return `${target} has no revision: spec.revisionExpr failed${because(f.error)}`
        case 'ExpressionNotText':
          return `${target} has no revision: spec.revisionExpr ${f.expression} must return a text that is not empty`
        case 'ExpressionMissing':
          return `${target} has no revision: its kind is not known; set spec.revisionExpr`
      }
    },
    meaning: 'The revision of a target cannot be read from its status.',
    advice: (f) =>
      f.because === 'NotPublished'
        ? 'request a revision of: lockstep rollout history'
        : f.because === 'NotReported'
          ? `read the status of ${of(f.on[0])}, or set spec.revisionExpr of the Pipeline`
          : 'correct spec.revisionExpr of the Pipeline',
    examples: [
      { on: [podinfo], because: 'NotReported' },
      { on: [podinfo], because: 'ExpressionFailed', error: 'no such key: lastAppliedRevision' },
    ],
  }),
  SourceNotSettled: reason({
    actor: 'none',
    on: oneOrMore('Object', 'Hold', 'Cluster'),
    facts: {
      environments: texts,
      because: oneOf('NothingSettled', 'OtherSettled', 'OtherRevision', 'NotReady', 'Held'),
      revision: text.optional(),
      current: text.optional(),
      reason: text.optional(),
      detail: text.optional(),
    },
    message: (f) => {
      const source = environmentsText(f.environments)
      const [, target] = f.on
      switch (f.because) {
        case 'NothingSettled':
          return `waiting for ${source}: no settled revision`
        case 'OtherSettled':
          return `waiting for ${source}: ${f.revision} is no longer its settled revision`
        case 'OtherRevision':
          return `waiting for ${source}: it is at ${f.current}, not at ${f.revision}`
        case 'NotReady':
          return `waiting for ${source}: ${target ? `${of(target)}: ` : ''}${f.reason}${because(f.detail)}`
        case 'Held':
          return `waiting for ${source}: suspended by ${firstName(f)}`
      }
    },
    meaning:
      'The environments that a revision comes from have no settled revision, or no longer the revision that is promoted.',
    advice: (f) =>
      `no action needed: it ends when ${environmentsText(f.environments)} settles; its cause: lockstep why pipeline/NAME@${f.environments[0]}`,
    examples: [
      { on: [lockstepObject('Pipeline', 'podinfo')], environments: ['staging'], because: 'NothingSettled' },
      {
        on: [lockstepObject('Pipeline', 'podinfo'), podinfo],
        environments: ['staging'],
        because: 'NotReady',
        reason: 'TargetNotReady',
      },
    ],
  }),
  CausedByPromotion: reason({
    actor: 'none',
    on: oneOrMore('Object'),
    facts: { environment: text, from: text, revision: text },
    message: (f) =>
      `${f.revision} is not promoted to ${f.environment}: all commits since ${f.from} are its own promotions`,
    meaning:
      'All changes of the source since the last promotion were committed by promotions of this Pipeline.',
    advice: (f) =>
      `no action needed: the next commit by another author ends it; to promote it anyway: lockstep promote ${f.on[0]?.name ?? 'PIPELINE'} --to ${f.environment}`,
    examples: [
      { on: [lockstepObject('Pipeline', 'podinfo')], environment: 'prod', from: '6.0.0', revision: '6.0.1' },
    ],
  }),
} as const
