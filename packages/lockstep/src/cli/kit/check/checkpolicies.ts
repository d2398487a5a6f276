/** Policies of the hub: without one of them, the right to edit a Module gives other rights. */
import { type KubeClient, requestErrorText } from '@lockstep/kube/client'
import { defineKind, type KubeObject } from '@lockstep/kube/object'
import { admissionPolicyNames } from '../../../api/crd/index.ts'
import type { CheckFinding } from './checkreport.ts'

const kindOf = (kind: string, plural: string) =>
  defineKind<KubeObject>({
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    kind,
    plural,
    namespaced: false,
  })
const KINDS = [
  kindOf('ValidatingAdmissionPolicy', 'validatingadmissionpolicies'),
  kindOf('ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings'),
]
export const INSTALL =
  'lockstep install --namespaces platform --controller=false | kubectl apply --server-side -f -'
/** Feature that needs them. */
export const POLICIES_FOR = 'separation of tenants'

/** One finding for each policy of `lockstep install`, with its binding, which has the same name. */
export async function checkPolicies(
  client: Pick<KubeClient, 'get'>,
  signal: AbortSignal,
): Promise<CheckFinding[]> {
  const findings: CheckFinding[] = []
  for (const name of admissionPolicyNames()) findings.push(await checkPolicy(client, name, signal))
  return findings
}

async function checkPolicy(
  client: Pick<KubeClient, 'get'>,
  name: string,
  signal: AbortSignal,
): Promise<CheckFinding> {
  for (const kind of KINDS) {
    const read = await client.get(kind, { name }, { purpose: 'user', signal })
    if (read.ok) continue
    if (read.error.kind !== 'NotFound')
      return { name, state: 'unknown', found: requestErrorText(read.error), for: POLICIES_FOR }
    const found = `${kind.kind} does not exist; run: ${INSTALL}`
    return { name, state: 'missing', found, for: POLICIES_FOR }
  }
  return { name, state: 'ok', found: 'ValidatingAdmissionPolicy', for: POLICIES_FOR }
}
