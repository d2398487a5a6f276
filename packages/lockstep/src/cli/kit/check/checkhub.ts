/** The hub: reached, with our kinds as this version has them. */

import type { KubeClient, KubeResult } from '@lockstep/kube/client'
import { ok } from '@lockstep/kube/env'
import { crdKind } from '@lockstep/kube/kinds'
import { at, type JsonValue, jsonEqual } from '@lockstep/kube/object'
import { GROUP } from '../../../api/apiversion.ts'
import { ownCrds } from '../../../api/crd/index.ts'
import { openHub } from '../hub/index.ts'
import { type CommandContext, requestFailure } from '../index.ts'
import { checkLost } from './checklost.ts'
import { checkPolicies, INSTALL } from './checkpolicies.ts'
import type { CheckFinding } from './checkreport.ts'

const FOR = 'everything but demo and up'

export async function checkHub(c: CommandContext): Promise<CheckFinding[]> {
  const hub = await openHub(c)
  if (!hub.ok) {
    // Who has none yet lacks nothing: `up` serves one.
    const isGiven = c.globals.kubeconfig !== undefined || c.host.variables.KUBECONFIG !== undefined
    return [{ name: 'hub', state: isGiven ? 'missing' : 'unknown', found: hub.error.message, for: FOR }]
  }
  const { client, server } = hub.value
  const kinds = await checkKinds(c, client)
  if (!kinds.ok) {
    const { message } = requestFailure(kinds.error, server).error
    return [{ name: 'hub', state: 'missing', found: message, for: FOR }]
  }
  const policies = await checkPolicies(c, hub.value)
  const isInstalled = kinds.value.every(({ state }) => state === 'ok')
  const lost = isInstalled ? await checkLost(c, hub.value) : []
  return [{ name: 'hub', state: 'ok', found: server, for: FOR }, ...kinds.value, ...policies, ...lost]
}

/** Definitions, or the served kinds where definitions may not be read, as for the account of the controller. */
async function checkKinds(c: CommandContext, client: KubeClient): Promise<KubeResult<CheckFinding[]>> {
  const call = { purpose: 'user', signal: c.signal } as const
  const listed = await client.list(crdKind, call)
  if (listed.ok) {
    const all = new Map(listed.value.items.map((crd) => [crd.metadata.name, crd as unknown as JsonValue]))
    return ok(ownCrds().map((crd) => definitionFinding(crd, all.get(nameOf(crd)))))
  }
  if (listed.error.kind !== 'Forbidden') return listed
  const served = await client.discover(call)
  if (!served.ok) return served
  const names = new Set(served.value.filter((r) => r.group === GROUP).map((r) => `${r.plural}.${GROUP}`))
  return ok(
    ownCrds().map((crd) => {
      const isServed = names.has(nameOf(crd))
      const found = isServed ? 'served; its definition may not be read' : `does not exist; run: ${INSTALL}`
      return { name: nameOf(crd), state: isServed ? 'ok' : 'missing', found, for: KINDS_FOR }
    }),
  )
}

const KINDS_FOR = 'the controller'
const nameOf = (crd: JsonValue): string => String(at(crd, 'metadata', 'name'))

function definitionFinding(ours: JsonValue, there: JsonValue | undefined): CheckFinding {
  const isOk = there !== undefined && isCurrent(there, ours)
  const found =
    there === undefined
      ? `does not exist; run: ${INSTALL}`
      : isOk
        ? 'current'
        : `another version; run: ${INSTALL}`
  return { name: nameOf(ours), state: isOk ? 'ok' : 'missing', found, for: KINDS_FOR }
}

const schemaOf = (crd: JsonValue): JsonValue | undefined =>
  at(crd, 'spec', 'versions', 0, 'schema', 'openAPIV3Schema')

const isCurrent = (there: JsonValue, ours: JsonValue): boolean => jsonEqual(schemaOf(there), schemaOf(ours))
