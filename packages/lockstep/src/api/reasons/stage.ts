/** Reasons of stages: order, soak, approvals, gates and windows. */

import { countText, firstName, listText, named, nameOf } from './nameof.ts'
import { number, oneOf, reason, text, texts } from './reason.ts'
import { oneOrMore, sampleOf, type WaitRefOf } from './waitref.ts'

const module: WaitRefOf<'Module'> = { kind: 'Module', name: 'hello', namespace: 'platform' }
const approval: WaitRefOf<'Approval'> = { kind: 'Approval', name: 'hello-prod' }
const stage = text
/** Whether an approval opens a stage or completes it. */
const point = oneOf('Before', 'After')
const prefix = (name: string | undefined): string =>
  name === undefined || name === '' ? '' : `stage ${name}: `

export const stageReasons = {
  StagePending: reason({
    actor: 'none',
    // The Module, and the units that the previous stage waits for.
    on: sampleOf('Module', 'Unit'),
    facts: { stage, after: text, waiting: number.optional() },
    message: (f) => {
      const waiting = f.waiting === undefined ? '' : `: ${countText(f.waiting, 'cluster')} queued`
      return `stage ${f.stage} opens after stage ${f.after}${waiting}`
    },
    meaning: 'The previous stage is not complete.',
    advice: () =>
      'no action needed: the stage opens when the previous stage is complete; lockstep rollout status',
    examples: [{ on: [module], stage: 'prod', after: 'canary', waiting: 3 }],
  }),
  Soaking: reason({
    actor: 'none',
    on: oneOrMore('Time'),
    facts: {
      stage: stage.optional(),
      elapsed: text.optional(),
      soak: text.optional(),
      /** Environment of a Pipeline, its revision, and the time since which it is ready. */
      environment: text.optional(),
      revision: text.optional(),
      since: text.optional(),
    },
    message: (f) =>
      f.environment === undefined
        ? `stage ${f.stage} soaking: ${f.elapsed} of ${f.soak}`
        : `environment ${f.environment} is ready at ${f.revision} since ${f.since}: soaking until ${firstName(f)}`,
    meaning: 'All clusters of a stage or targets of an environment are ready, and soakSeconds are not over.',
    advice: (f) =>
      f.environment === undefined
        ? `no action needed: the stage is complete after ${f.soak}`
        : `no action needed: environment ${f.environment} is settled at ${firstName(f)}`,
    examples: [
      { on: [{ kind: 'Time', name: '5m' }], stage: 'canary', elapsed: '2m', soak: '5m' },
      {
        on: [{ kind: 'Time', name: '2026-11-24T14:05:00Z' }],
        environment: 'prod',
        revision: '6.0.1',
        since: '2026-11-24T14:00:00Z',
      },
    ],
  }),
  StageInconclusive: reason({
    actor: 'cause',
    on: oneOrMore('Module'),
    facts: { stage, members: number },
    message: (f) =>
      `stage ${f.stage}: none of its ${countText(f.members, 'cluster')} is ready; unreachable, paused and new clusters do not count`,
    meaning: 'No cluster of a stage is ready: all are unreachable, paused, or new.',
    advice: () => 'restore one of the clusters, or move them to another stage',
    examples: [{ on: [module], stage: 'canary', members: 2 }],
  }),
  StageGate: reason({
    actor: 'cause',
    on: oneOrMore('Object', 'Module'),
    facts: {
      stage,
      state: oneOf('Missing', 'NotReady', 'False', 'Error'),
      expression: text.optional(),
      detail: text.optional(),
    },
    message: (f) => {
      const detail = f.detail ? `: ${f.detail}` : ''
      switch (f.state) {
        case 'Missing':
          return `stage ${f.stage}: waiting for ${named(f)}: not found${detail}`
        case 'NotReady':
          return `stage ${f.stage}: waiting for ${named(f)}${detail}`
        case 'False':
          return `stage ${f.stage}: gateExpr is false: ${f.expression}`
        case 'Error':
          return `stage ${f.stage}: gateExpr ${f.expression} failed${detail}`
      }
    },
    meaning: 'The gateExpr of a stage is false, or an object of its gates is not ready.',
    advice: (f) =>
      f.state === 'False' || f.state === 'Error'
        ? `make gateExpr of stage ${f.stage} true, or change it`
        : `make ${f.on.map(nameOf).join(', ')} ready`,
    examples: [
      { on: [module], stage: 'prod', state: 'False', expression: 'stage.failed == 0' },
      {
        on: [module],
        stage: 'prod',
        state: 'Error',
        expression: 'stage.late == 0',
        detail: 'no such key: late',
      },
      {
        on: [
          {
            kind: 'Object',
            name: 'smoke',
            namespace: 'platform',
            cluster: 'hub',
            object: { apiVersion: 'batch/v1', kind: 'Job' },
          },
        ],
        stage: 'prod',
        state: 'NotReady',
        detail: '0 of 1 completed',
      },
    ],
  }),
  AwaitingApproval: reason({
    actor: 'approver',
    on: oneOrMore('Approval', 'Object'),
    facts: {
      stage: stage.optional(),
      point: point.optional(),
      command: text,
      environment: text.optional(),
      revision: text.optional(),
    },
    message: (f) =>
      f.environment === undefined
        ? `stage ${f.stage} waits for approval: ${f.command}`
        : `${f.environment}: ${f.revision} is waiting for approval: ${f.command}`,
    meaning: 'A stage or a promotion needs the approval of a person.',
    advice: (f) => `approve: ${f.command}`,
    examples: [
      {
        on: [approval],
        stage: 'prod',
        point: 'After',
        command: 'lockstep rollout approve hello --stage prod',
      },
    ],
  }),
  ApprovalForOtherRevision: reason({
    actor: 'approver',
    on: oneOrMore('Approval'),
    facts: {
      stage: stage.optional(),
      environment: text.optional(),
      approved: text,
      revision: text.optional(),
      command: text.optional(),
    },
    message: (f) => {
      const other = f.revision === undefined ? 'but no revision is published' : `not ${f.revision}`
      const command = f.command === undefined ? '' : `; ${f.command}`
      return `${f.environment ?? `stage ${f.stage}`}: ${firstName(f)} approves ${f.approved}, ${other}${command}`
    },
    meaning: 'An Approval of the stage or environment is for another revision.',
    advice: (f) =>
      `check the published revision, then approve it: ${f.command ?? 'lockstep rollout approve'}`,
    examples: [
      {
        on: [approval],
        stage: 'prod',
        approved: '0d9f11ba70',
        revision: '6f39a1c02b',
        command: 'lockstep rollout approve hello --stage prod',
      },
    ],
  }),
  ApprovalUnreadable: reason({
    actor: 'platform',
    on: oneOrMore('Approval'),
    facts: { stage, error: text },
    message: (f) => `stage ${f.stage}: ${firstName(f)} cannot be verified: ${f.error}`,
    meaning: 'An Approval is read from the hub before it counts, and that read fails.',
    advice: () => 'restore access to the API server of the hub',
    examples: [{ on: [approval], stage: 'prod', error: 'connection refused' }],
  }),
  StageUnknown: reason({
    actor: 'approver',
    on: oneOrMore('Module'),
    facts: { stage, stages: texts },
    message: (f) =>
      `${firstName(f)} has no stage ${f.stage}: ${f.stages.length === 0 ? 'its rollout has no stages' : `its stages are ${listText(f.stages)}`}`,
    meaning: 'An Approval names a stage that the rollout of its Module does not have.',
    advice: () => 'set spec.stage of the Approval to a stage of spec.rollout.stages',
    examples: [{ on: [module], stage: 'canry', stages: ['canary', 'prod'] }],
  }),
  TargetMissing: reason({
    actor: 'approver',
    on: oneOrMore('Module'),
    facts: {},
    message: (f) => `${firstName(f)} not found in the namespace`,
    meaning: 'The Module of an Approval does not exist.',
    advice: (f) => `create ${firstName(f)}, or delete the Approval`,
    examples: [{ on: [module] }],
  }),
  WindowClosed: reason({
    actor: 'none',
    on: oneOrMore('Time'),
    facts: {
      stage: text.optional(),
      environment: text.optional(),
      opens: text.optional(),
      problem: text.optional(),
      waiting: number.optional(),
    },
    message: (f) => {
      const waiting = f.waiting === undefined ? '' : `; ${countText(f.waiting, 'cluster')} queued`
      const of = f.environment === undefined ? prefix(f.stage) : `environment ${f.environment}: `
      if (f.problem !== undefined) return `${of}window is invalid: ${f.problem}${waiting}`
      if (f.opens === undefined) return `${of}window does not open within 366 days${waiting}`
      return `${of}window closed, opens ${f.opens}${waiting}`
    },
    meaning: 'The windows of the rollout, of a stage or of a promotion allow no start now.',
    advice: (f) =>
      f.problem === undefined && f.opens !== undefined
        ? `no action needed: the window opens ${f.opens}`
        : `correct the windows of ${f.environment === undefined ? 'spec.rollout or of the stage' : `environment ${f.environment}`}`,
    examples: [
      {
        on: [{ kind: 'Time', name: 'Mon 22:00 Europe/Berlin' }],
        opens: 'Mon 22:00 Europe/Berlin',
        waiting: 2,
      },
    ],
  }),
  ClockSkew: reason({
    actor: 'platform',
    on: oneOrMore('External'),
    facts: {
      stage: text.optional(),
      skew: oneOf('Unknown', 'Ahead', 'Behind'),
      by: text.optional(),
      limit: text,
      waiting: number,
    },
    message: (f) =>
      f.skew === 'Unknown'
        ? `${prefix(f.stage)}windows stay closed: responses of the hub have no Date header; make proxies pass it on`
        : `${prefix(f.stage)}windows stay closed: the clock of the controller is ${f.by} ${f.skew.toLowerCase()} ${f.skew === 'Ahead' ? 'of ' : ''}the hub (limit ${f.limit}); fix NTP`,
    meaning: 'The clocks of controller and hub differ too much to open windows.',
    advice: (f) =>
      f.skew === 'Unknown'
        ? 'make proxies before the hub pass on the header Date'
        : 'synchronize both clocks (NTP)',
    examples: [
      {
        on: [{ kind: 'External', name: 'clock of the hub' }],
        skew: 'Ahead',
        by: '45s',
        limit: '30s',
        waiting: 2,
      },
    ],
  }),
} as const
