/** The hub: reached, with our kinds as this version has them. */

import { crdKind } from '@lockstep/kube/kinds'
import { at, type JsonValue, jsonEqual } from '@lockstep/kube/object'
import { type FoundDefinition, foundSchemaNumber, ownCrds } from '../../../api/crd/index.ts'
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
  const kinds: CheckFinding[] = []
  for (const crd of ownCrds()) {
    const name = String(at(crd, 'metadata', 'name'))
    const read = await client.get(crdKind, { name }, { purpose: 'user', signal: c.signal })
    if (!read.ok && read.error.kind !== 'NotFound') {
      const { message } = requestFailure(read.error, server).error
      return [{ name: 'hub', state: 'missing', found: message, for: FOR }]
    }
    kinds.push(definitionFinding(name, crd, read.ok ? (read.value as unknown as JsonValue) : undefined))
  }
  const policies = await checkPolicies(client, c.signal)
  const isInstalled = kinds.every(({ state }) => state === 'ok')
  const lost = isInstalled ? await checkLost(c, hub.value) : []
  return [{ name: 'hub', state: 'ok', found: server, for: FOR }, ...kinds, ...policies, ...lost]
}

function definitionFinding(name: string, ours: JsonValue, there: JsonValue | undefined): CheckFinding {
  const finding = { name, for: 'the controller' }
  if (there === undefined) return { ...finding, state: 'missing', found: `does not exist; run: ${INSTALL}` }
  const [found, needed] = [there, ours].map((crd) => foundSchemaNumber(crd as unknown as FoundDefinition))
  // The controller works with newer definitions: those of this version would take fields away.
  if (found! > needed!) return { ...finding, state: 'ok', found: 'newer than this version' }
  if (found! < needed!) return { ...finding, state: 'missing', found: `older; run: ${INSTALL}` }
  if (jsonEqual(schemaOf(there), schemaOf(ours))) return { ...finding, state: 'ok', found: 'current' }
  return { ...finding, state: 'missing', found: `was edited; run: ${INSTALL}` }
}

const schemaOf = (crd: JsonValue): JsonValue | undefined =>
  at(crd, 'spec', 'versions', 0, 'schema', 'openAPIV3Schema')
