/** Reasons of Promotions: their order, checks and deadlines. */
import { shortDuration } from '@lockstep/kube/object'
import { named } from './nameof.ts'
import { number, oneOf, reason, text } from './reason.ts'
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

/** `: text`, or nothing. */
const because = (detail: string | undefined): string =>
  detail === undefined || detail === '' ? '' : `: ${detail}`

export const promotionReasons = {
  PromotionInProgress: reason({
    actor: 'none',
    on: oneOrMore('Object'),
    facts: {
      because: oneOf('NotEnded', 'Earlier', 'Newer', 'RollsBackFirst', 'RollingBack'),
      environment: text,
      revision: text.optional(),
      phase: text.optional(),
    },
    message: (f) => {
      const promotion = named(f)
      switch (f.because) {
        case 'NotEnded':
          return `waiting for ${promotion}: ${f.environment} is ready at ${f.revision}, verification has not ended`
        case 'Earlier':
          return `waiting for ${promotion}: it is ${f.phase}`
        case 'Newer':
          return `waiting for ${promotion}: it promotes ${f.revision} instead`
        case 'RollsBackFirst':
          return `waiting for the rollback of ${promotion}: ${f.revision} failed in ${f.environment}`
        case 'RollingBack':
          return `waiting for ${promotion}: it rolls ${f.environment} back to ${f.revision} and is ${f.phase}`
      }
    },
    meaning: 'Another promotion into this environment has not ended.',
    advice: (f) =>
      `no action needed: it ends with ${named(f)}; its cause: lockstep why pipeline/NAME@${f.environment}`,
    examples: [
      {
        on: [lockstepObject('Promotion', 'podinfo-prod-7-1f2e3d4c')],
        because: 'Earlier',
        environment: 'prod',
        phase: 'Open',
      },
    ],
  }),
  VerificationRunning: reason({
    actor: 'none',
    on: oneOrMore('Object'),
    facts: {
      because: oneOf('Check', 'NotVerified'),
      check: text.optional(),
      state: oneOf('Starting', 'Running', 'Failed').optional(),
      detail: text.optional(),
      environment: text.optional(),
      revision: text.optional(),
    },
    message: (f) =>
      f.because === 'NotVerified'
        ? `environment ${f.environment} is ready at ${f.revision}: no promotion has verified it`
        : `check ${f.check} ${f.state === 'Failed' ? 'fails' : f.state === 'Starting' ? 'is starting' : 'is running'}${because(f.detail)}`,
    meaning: 'Checks of a promotion run, or have not passed yet.',
    advice: (f) =>
      f.because === 'NotVerified'
        ? `promote the revision: lockstep promote ${f.on[0]?.name ?? 'PIPELINE'} --to ${f.environment} --revision ${f.revision}`
        : 'no action needed: it ends when all checks pass, or at verify.timeoutSeconds',
    examples: [
      {
        on: [lockstepObject('Promotion', 'podinfo-prod-7-1f2e3d4c')],
        because: 'Check',
        check: 'errors',
        state: 'Failed',
        detail: 'value < 0.01 is false for 0.2',
      },
    ],
  }),
  VerificationFailed: reason({
    actor: 'approver',
    on: sampleOf('Object', 'Hold', 'Cluster', 'Time'),
    facts: {
      because: oneOf('Check', 'Timeout'),
      check: text.optional(),
      detail: text.optional(),
      seconds: number.optional(),
      reason: text.optional(),
    },
    message: (f) =>
      f.because === 'Check'
        ? `check ${f.check} failed${because(f.detail)}`
        : `verification timed out after ${shortDuration((f.seconds ?? 0) * 1000)}: ${lackText(f)}`,
    meaning: 'A check of a promotion failed, or not all targets and checks were ready by the timeout.',
    advice: () => 'repair the cause and publish a new revision, or revert the revision in Git',
    examples: [
      { on: [], because: 'Check', check: 'smoke', detail: 'Job prod/podinfo-smoke: BackoffLimitExceeded' },
    ],
  }),
  ConvergeDeadlineExceeded: reason({
    actor: 'approver',
    on: sampleOf('Object', 'Hold', 'Cluster'),
    facts: {
      revision: text,
      seconds: number,
      reason: text,
      detail: text.optional(),
      current: text.optional(),
    },
    message: (f) =>
      `targets are not at ${f.revision} after ${shortDuration(f.seconds * 1000)}: ${lackText(f)}`,
    meaning: 'Not all targets were at the promoted revision within convergeDeadlineSeconds.',
    advice: (f) =>
      f.on[0] === undefined
        ? 'repair the targets and promote again, or revert the revision in Git'
        : `repair ${named(f)} and promote again, or revert the revision in Git`,
    examples: [
      {
        on: [podinfo],
        revision: '6.0.1',
        seconds: 1800,
        reason: 'TargetNotReady',
        detail: 'ReconciliationFailed',
      },
    ],
  }),
  AwaitingManualPromotion: reason({
    actor: 'approver',
    on: anyNumber('Object'),
    facts: { environment: text, revision: text, current: text.optional() },
    message: (f) =>
      `waiting for a manual promotion of ${f.environment}${f.current === undefined ? '' : ` from ${f.current}`} to ${f.revision}`,
    meaning: 'Strategy manual: no target is at the revision yet. The deadline starts with the first target.',
    advice: (f) => `set the revision of ${f.on[0] ? named(f) : 'the targets'} to ${f.revision}`,
    examples: [{ on: [podinfo], environment: 'prod', revision: '6.0.1', current: '6.0.0' }],
  }),
  IdentityConflict: reason({
    actor: 'author',
    on: oneOrMore('Object'),
    facts: {
      because: oneOf('Pipeline', 'Owner', 'Field'),
      identity: text,
      owner: text.optional(),
      field: text.optional(),
    },
    message: (f) => {
      switch (f.because) {
        case 'Pipeline':
          return `identity ${f.identity} belongs to ${named(f)}; recreate this Pipeline with another spec.identity`
        case 'Owner':
          return `${named(f)} belongs to Pipeline ${f.owner}; delete it`
        case 'Field':
          return `${named(f)} has another spec.${f.field}; delete it`
      }
    },
    meaning:
      'Another Pipeline has the same spec.identity and is older, or an object of another Pipeline has the name of a Promotion.',
    advice: (f) =>
      f.because === 'Pipeline'
        ? 'recreate this Pipeline with another spec.identity'
        : `delete the object: kubectl delete promotion.lockstep.dev ${f.on[0]?.name ?? 'NAME'}`,
    examples: [{ on: [lockstepObject('Pipeline', 'shop')], because: 'Pipeline', identity: 'podinfo' }],
  }),
  PipelineNotFound: reason({
    actor: 'author',
    on: oneOrMore('Object'),
    facts: { environment: text },
    message: (f) => `${named(f)} not found, terminating, or without environment ${f.environment}`,
    meaning:
      'The Pipeline of a Promotion, or its environment, does not exist, or the Pipeline is terminating.',
    advice: (f) => `restore ${named(f)} with environment ${f.environment}, or delete this Promotion`,
    examples: [{ on: [lockstepObject('Pipeline', 'podinfo')], environment: 'prod' }],
  }),
} as const

/** The cause of a missed deadline: the first object, its reason and detail. */
function lackText(f: {
  readonly on: readonly WaitRef[]
  readonly reason?: string | undefined
  readonly detail?: string | undefined
  readonly current?: string | undefined
  readonly check?: string | undefined
}): string {
  if (f.check !== undefined) return `check ${f.check}${because(f.detail)}`
  if (f.current !== undefined) return `they are at ${f.current}`
  const place = f.on.length === 0 ? '' : `${named({ on: f.on, clusters: undefined })}: `
  return `${place}${f.reason}${because(f.detail)}`
}
