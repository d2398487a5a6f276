/** All that gives accounts their rights: namespaces and accounts that do not exist, Roles, and their bindings. */
import { ok, type Result } from '@lockstep/kube/env'
import { namespaceKind } from '@lockstep/kube/kinds'
import type { JsonObject } from '@lockstep/kube/object'
import { accountKey } from '../../../api/account.ts'
import { SYSTEM_NAMESPACE } from '../../../api/labels.ts'
import type { HubConnection } from '../hub/index.ts'
import { type CliFailure, type CommandContext, requestFailure } from '../index.ts'
import { accountManifest } from '../install/index.ts'
import type { HeldRights } from './heldrights.ts'
import type { ModuleRights } from './modulerights.ts'
import { roleManifests } from './rolemanifests.ts'

export interface ReviewedRights extends ModuleRights {
  /** Undefined: no hub was asked. */
  readonly held: HeldRights | undefined
}

/** `hub` undefined: only what every cluster has is taken as given. */
export async function grantManifests(
  c: CommandContext,
  hub: HubConnection | undefined,
  modules: readonly ReviewedRights[],
): Promise<Result<JsonObject[], CliFailure>> {
  const homes = new Set(modules.map((m) => m.account.namespace))
  const places = new Set(modules.flatMap((m) => m.rights.flatMap((r) => r.namespace ?? [])))
  const absent = await absentOf(c, hub, [...places].filter((n) => !homes.has(n)).sort())
  if (!absent.ok) return absent
  const namespaces = absent.value.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }))
  const accounts = new Map(
    modules
      .filter((m) => m.held?.exists === false)
      .map(({ account }) => {
        const key = accountKey(account)
        return [`${key.namespace}/${key.name}`, accountManifest(key)] as const
      }),
  )
  return ok([...namespaces, ...accounts.values(), ...modules.flatMap(roleManifests)])
}

const GIVEN = new Set(['default', SYSTEM_NAMESPACE])
const isGiven = (name: string): boolean => GIVEN.has(name) || name.startsWith('kube-')

/** A Role needs its namespace before the Module creates it. */
async function absentOf(
  c: CommandContext,
  hub: HubConnection | undefined,
  names: readonly string[],
): Promise<Result<string[], CliFailure>> {
  if (!hub) return ok(names.filter((n) => !isGiven(n)))
  const absent: string[] = []
  for (const name of names) {
    const found = await hub.client.get(namespaceKind, { name }, { purpose: 'user', signal: c.signal })
    if (found.ok || found.error.kind === 'Forbidden') continue
    if (found.error.kind !== 'NotFound') return requestFailure(found.error, hub.server)
    absent.push(name)
  }
  return ok(absent)
}
