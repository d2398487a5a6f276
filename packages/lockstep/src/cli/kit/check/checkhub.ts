/** The hub: reached, with our kinds as this version has them. */

import { crdKind } from '@lockstep/kube/kinds'
import { at, type JsonValue, jsonEqual } from '@lockstep/kube/object'
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
  const reached = await client.list(crdKind, { purpose: 'user', signal: c.signal })
  if (!reached.ok) {
    const { message } = requestFailure(reached.error, server).error
    return [{ name: 'hub', state: 'missing', found: message, for: FOR }]
  }
  const served = new Map(reached.value.items.map((crd) => [crd.metadata.name, crd as unknown as JsonValue]))
  const kinds = ownCrds().map((crd): CheckFinding => {
    const name = String(at(crd, 'metadata', 'name'))
    const there = served.get(name)
    const found =
      there === undefined
        ? `does not exist; run: ${INSTALL}`
        : isCurrent(there, crd)
          ? 'current'
          : `another version; run: ${INSTALL}`
    const state = there !== undefined && isCurrent(there, crd) ? 'ok' : 'missing'
    return { name, state, found, for: 'the controller' }
  })
  const policies = await checkPolicies(c, hub.value)
  const isInstalled = kinds.every(({ state }) => state === 'ok')
  const lost = isInstalled ? await checkLost(c, hub.value) : []
  return [{ name: 'hub', state: 'ok', found: server, for: FOR }, ...kinds, ...policies, ...lost]
}

const schemaOf = (crd: JsonValue): JsonValue | undefined =>
  at(crd, 'spec', 'versions', 0, 'schema', 'openAPIV3Schema')

const isCurrent = (there: JsonValue, ours: JsonValue): boolean => jsonEqual(schemaOf(there), schemaOf(ours))
