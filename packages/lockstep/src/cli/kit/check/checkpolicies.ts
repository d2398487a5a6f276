/** Policies of the hub: without one of them, the right to edit a Module gives other rights. */
import { defineKind, type JsonObject, type KubeObject } from '@lockstep/kube/object'
import type { HubConnection } from '../hub/index.ts'
import { type CommandContext, requestFailure } from '../index.ts'
import { policyManifests } from '../install/index.ts'
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
export const INSTALL = 'lockstep install --namespaces platform | kubectl apply --server-side -f -'
/** Feature that needs them. */
export const POLICIES_FOR = 'separation of tenants'

/** One finding for each policy and binding that `lockstep install` prints. */
export async function checkPolicies(c: CommandContext, hub: HubConnection): Promise<CheckFinding[]> {
  const wanted = policyManifests().map((o) => ({ kind: String(o.kind), name: nameOf(o) }))
  const findings: CheckFinding[] = []
  for (const kind of KINDS) {
    const names = wanted.filter((w) => w.kind === kind.kind).map((w) => w.name)
    const listed = await hub.client.list(kind, { purpose: 'user', signal: c.signal })
    if (!listed.ok) {
      const { message } = requestFailure(listed.error, hub.server).error
      findings.push({ name: kind.kind, state: 'unknown', found: message, for: POLICIES_FOR })
      continue
    }
    const there = new Set(listed.value.items.map((o) => o.metadata.name))
    // A policy and its binding have one name: one line says both.
    for (const name of names) {
      if (there.has(name)) continue
      const found = `${kind.kind} does not exist; run: ${INSTALL}`
      findings.push({ name, state: 'missing', found, for: POLICIES_FOR })
    }
  }
  const isWhole = (name: string): boolean => findings.every((f) => f.name !== name && f.state !== 'unknown')
  const whole = new Set(wanted.map((w) => w.name).filter(isWhole))
  const ok = [...whole].map(
    (name): CheckFinding => ({ name, state: 'ok', found: 'ValidatingAdmissionPolicy', for: POLICIES_FOR }),
  )
  return [...ok, ...findings]
}

const nameOf = (o: JsonObject): string => String((o.metadata as JsonObject).name)
