/** `lockstep rollout approve`: the consent of who sits here to one stage of what is published. */

import { ok, type Result } from '@lockstep/kube/env'
import { digestOf, isNamed, keyOf, type Stored, short10 } from '@lockstep/kube/object'
import { API_VERSION } from '../../../api/apiversion.ts'
import { type Approval, approvalKind, type Module } from '../../../api/kinds/index.ts'
import { CLI_MANAGER } from '../../../api/labels.ts'
import { PRUNE_STAGE } from '../../../decisions/rollout/index.ts'
import { whoAmI } from '../hub/index.ts'
import {
  type CliFailure,
  type CommandContext,
  type CommandResult,
  type Flags,
  failed,
  isSet,
  nameOf,
  requestFailure,
  textFlag,
} from '../index.ts'
import { printObjects } from '../output/index.ts'
import { approvePipeline, pipelineWord } from '../pipelines/index.ts'
import { fit, nearest } from '../terminal/index.ts'
import { withModule } from '../units/index.ts'

export const approveStage = (c: CommandContext, word: string, flags: Flags): Promise<CommandResult> => {
  const pipeline = pipelineWord(word)
  if (pipeline !== undefined) return approvePipeline(c, pipeline, textFlag(flags, 'stage'))
  return approveModule(c, word, flags)
}

const approveModule = (c: CommandContext, word: string, flags: Flags): Promise<CommandResult> =>
  withModule(c, word, async ({ hub, module }) => {
    const point = isSet(flags, 'before') ? 'Before' : 'After'
    const stage = stageOf(module, textFlag(flags, 'stage'))
    if (!stage.ok) return stage
    const revision = revisionFor(module, stage.value)
    if (revision === undefined)
      return failed('E_USAGE', {
        problem: `${module.metadata.name} has no published revision`,
        suggestion: `for the cause, use lockstep status ${module.metadata.name}`,
      })
    const by = await whoAmI(c, hub)
    if (!by.ok) return by
    const body: Approval = {
      apiVersion: API_VERSION,
      kind: approvalKind.kind,
      metadata: {
        name: nameFor(module, stage.value, point, revision),
        namespace: module.metadata.namespace!,
      },
      spec: {
        targetRef: { kind: module.kind as 'Module', name: module.metadata.name },
        stage: stage.value,
        point,
        revisionHash: revision,
        approvedBy: by.value,
      },
    }
    const made = await hub.client.create(approvalKind, body, {
      purpose: 'user',
      manager: CLI_MANAGER,
      signal: c.signal,
    })
    if (!made.ok && made.error.kind !== 'AlreadyExists') return requestFailure(made.error, hub.server)
    const there = made.ok
      ? made
      : await hub.client.get(approvalKind, keyOf(body), { purpose: 'user', signal: c.signal })
    if (!there.ok) return requestFailure(there.error, hub.server)
    const object = there.value
    if (!isSameConsent(object.spec, body.spec))
      return failed('E_REFUSED', {
        ref: nameOf(approvalKind, object.metadata.name),
        problem: `already exists, and approves ${consentText(object.spec)}`,
        suggestion: `if it is not needed, run: kubectl delete approval ${object.metadata.name} -n ${object.metadata.namespace}`,
      })
    const said = made.ok ? 'approved' : 'was already approved'
    const text = `${nameOf(approvalKind, body.metadata.name!)}: stage ${stage.value}${point === 'Before' ? ' to begin' : ''}, revision ${short10(revision)} ${said}`
    if (!printObjects(c, [{ kind: approvalKind, object }])) c.terminal.print(fit(c.terminal.look, text))
    return { ok: true, value: 0 }
  })

/**
 * The revision whose rollout asks: what is published, or with `supersede: Wait` the older one that ends first. What is to be
 * pruned is left by where the fleet is now.
 */
function revisionFor({ status }: Stored<Module>, stage: string): string | undefined {
  const { rollout, currentRevision } = status ?? {}
  const isUnderWay = rollout?.cause === 'Wait' || stage === PRUNE_STAGE
  return (isUnderWay ? rollout?.revision : undefined) ?? currentRevision
}

/** One for a revision and a stage: asked twice, it is there already. A name of a stage that is none of an object has a digest. */
function nameFor(m: Stored<Module>, stage: string, point: string, revision: string): string {
  const plain = stage.replace(/[^a-z0-9-]+/gi, '-').toLowerCase()
  const told = plain === stage ? plain : `${plain}-${digestOf('stage/1', stage).slice(3, 9)}`
  const kind = m.kind === 'Module' ? '' : 'bmod-'
  return `${kind}${m.metadata.name}-${told}-${point.toLowerCase()}-${short10(revision)}`
}

const isSameConsent = (a: Approval['spec'], b: Approval['spec']): boolean =>
  a.targetRef.kind === b.targetRef.kind &&
  a.targetRef.name === b.targetRef.name &&
  a.stage === b.stage &&
  a.point === b.point &&
  isNamed(b.revisionHash, a.revisionHash)

const consentText = ({ targetRef, stage, point, revisionHash }: Approval['spec']): string =>
  `stage ${stage} (${point}) of ${targetRef.kind} ${targetRef.name}, revision ${short10(revisionHash)}`

/** The one that is asked for, or that waits. */
function stageOf(
  { status, spec, metadata }: Stored<Module>,
  asked: string | undefined,
): Result<string, CliFailure> {
  const stages = (status?.rollout?.stages ?? spec.rollout.stages ?? []).map((s) => s.name)
  const there = stages.length > 0 ? `Stages: ${stages.join(', ')}.` : `${metadata.name} has no stages`
  if (asked === undefined)
    return failed('E_USAGE', { problem: 'which stage? give --stage', suggestion: there })
  if (stages.includes(asked) || asked === PRUNE_STAGE) return ok(asked)
  const meant = nearest(asked, stages)
  return failed('E_USAGE', {
    problem: `${metadata.name} has no stage "${asked}"`,
    suggestion: meant ? `did you mean ${meant}?` : there,
  })
}
