/** `lockstep rollout approve pipeline/NAME`: the consent of who sits here to the promotion that waits for it. */
import { isNamed, type Stored } from '@lockstep/kube/object'
import { API_VERSION } from '../../../api/apiversion.ts'
import { type Approval, approvalKind, type Promotion } from '../../../api/kinds/index.ts'
import { CLI_MANAGER } from '../../../api/labels.ts'
import { keyOfPromotion } from '../../../decisions/promotion/index.ts'
import { whoAmI } from '../hub/index.ts'
import { type CommandContext, type CommandResult, failed, nameOf, requestFailure } from '../index.ts'
import { printObjects } from '../output/index.ts'
import { fit } from '../terminal/index.ts'
import { currentPromotion, environmentNamed, type MeantPipeline, withPipeline } from './pipelinesnapshot.ts'

/** Until it is done: consent that was taken back is waited for again before a push, a notification or a merge (ADR 0089). */
const IN_TIME: ReadonlySet<string> = new Set(['Pending', 'Prepared', 'Applying', 'Open'])

export const approvePipeline = (
  c: CommandContext,
  name: string,
  stage: string | undefined,
): Promise<CommandResult> =>
  withPipeline(c, name, async (meant) => {
    const { seen, pipeline } = meant
    const environment = environmentNamed(pipeline, '--stage', stage)
    if (!environment.ok) return environment
    const promotion = currentPromotion(seen, pipeline, environment.value.name)
    const problem = approvalProblem(name, environment.value.name, promotion)
    return problem ? failed('E_USAGE', problem) : consent(c, meant, promotion!)
  })

/** Why nobody can consent to it; undefined: somebody can. */
export function approvalProblem(
  pipeline: string,
  environment: string,
  promotion: Promotion | undefined,
): { readonly problem: string; readonly suggestion: string } | undefined {
  const suggestion = `for promotions that wait, use lockstep status pipeline/${pipeline}`
  if (!promotion) return { problem: `${environment}: no promotion in progress`, suggestion }
  const { spec, status } = promotion
  const phase = status?.phase ?? 'Pending'
  if (!IN_TIME.has(phase)) {
    const problem = `${environment}: the promotion of ${spec.revision} is ${phase}; it needs no approval any longer`
    return { problem, suggestion }
  }
  if (spec.settings.approval === 'Required') return undefined
  return {
    problem: `${environment}: promotions need no approval`,
    suggestion: `to require approvals, set promotion.approval to Required in Pipeline ${pipeline}`,
  }
}

async function consent(
  c: CommandContext,
  { hub, seen, pipeline }: MeantPipeline,
  { metadata, spec }: Stored<Promotion>,
): Promise<CommandResult> {
  const by = await whoAmI(c, hub)
  if (!by.ok) return by
  const key = keyOfPromotion(spec)
  const given = seen.approvals.find(
    ({ spec: a }) =>
      a.targetRef.kind === 'Pipeline' &&
      a.targetRef.name === pipeline.metadata.name &&
      a.stage === spec.environment &&
      isNamed(key, a.revisionHash),
  )
  const body: Approval = {
    apiVersion: API_VERSION,
    kind: approvalKind.kind,
    // The name of the promotion has its key: asked twice, it is there already.
    metadata: { name: metadata.name, namespace: metadata.namespace! },
    spec: {
      targetRef: { kind: 'Pipeline', name: pipeline.metadata.name },
      stage: spec.environment,
      point: 'Before',
      revisionHash: key,
      approvedBy: by.value,
    },
  }
  const write = { purpose: 'user', manager: CLI_MANAGER, signal: c.signal } as const
  const made = given ? undefined : await hub.client.create(approvalKind, body, write)
  if (made && !made.ok && made.error.kind !== 'AlreadyExists') return requestFailure(made.error, hub.server)
  const object = given ?? (made?.ok ? made.value : body)
  const said = made?.ok ? 'approved' : 'was already approved'
  const text = `${nameOf(approvalKind, object.metadata.name!)}: ${spec.revision} into ${spec.environment} ${said}`
  if (!printObjects(c, [{ kind: approvalKind, object }])) c.terminal.print(fit(c.terminal.look, text))
  return { ok: true, value: 0 }
}
