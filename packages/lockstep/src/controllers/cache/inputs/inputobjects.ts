/** ConfigMaps and Secrets that modules read by name. */

import { requestErrorText } from '@lockstep/kube/client'
import { type Env, err, ok, type Result } from '@lockstep/kube/env'
import { type ConfigMap, type Secret, secretKind } from '@lockstep/kube/kinds'
import { accessRefusal } from '../../../api/accessrefusal.ts'
import type { AccessRight, Account, MissingRight } from '../../../api/account.ts'
import type { ObjectSelection } from '../../../fleet/connection/index.ts'
import { fault, faultOf, type NamedInput, type SourceFailure } from '../../../sources/intake/index.ts'
import type { HubInformers } from '../hubcaches.ts'

/** `object` undefined: there is none. */
export type ObservedInput =
  | { readonly state: 'Read'; readonly object: ConfigMap | Secret | undefined }
  | { readonly state: 'Syncing' }
  | { readonly state: 'Failed'; readonly failure: SourceFailure }

export const inputSelection = (
  kind: NamedInput['kind'],
  { namespace, name }: { readonly namespace?: string; readonly name?: string },
): ObjectSelection => ({ apiVersion: 'v1', kind, namespace, name })

/** As the caches have it. Secrets are watched one by one, from the first read on. */
export function observeInput(hub: HubInformers, account: Account, { kind, name }: NamedInput): ObservedInput {
  const { namespace } = account
  const right = inputRight(namespace, { kind, name })
  const refused = hub.reviews.lastRefusal(account, right)
  if (refused) return forbidden(refused)
  if (kind === 'ConfigMap') {
    const { store, error } = hub.configMaps(account)
    if (error?.kind === 'Forbidden') {
      // All ConfigMaps of the namespace are watched at once.
      const { name: _, ...all } = right
      return forbidden({ ...hub.reviews.refusedRead(account, all), verb: error.verb })
    }
    if (store.freshness.state === 'Syncing') return { state: 'Syncing' }
    return { state: 'Read', object: store.get({ namespace, name }) }
  }
  const seen = hub.secrets.select(account, inputSelection(kind, { namespace, name }))
  if (seen.type === 'Unread' && seen.forbidden)
    return forbidden({ ...hub.reviews.refusedRead(account, right), verb: seen.forbidden })
  switch (seen.type) {
    case 'Syncing':
      return { state: 'Syncing' }
    case 'Read':
      return { state: 'Read', object: seen.objects[0] as Secret | undefined }
    default: {
      const place = `Secret ${namespace}/${name}`
      const failure = fault('HubUnreachable', { because: 'Error', place, error: seen.detail }, true)
      return { state: 'Failed', failure }
    }
  }
}

/** The right without which an input is not used. */
export const inputRight = (namespace: string, { kind, name }: NamedInput): AccessRight => ({
  verb: 'get',
  group: '',
  resource: kind === 'ConfigMap' ? 'configmaps' : 'secrets',
  namespace,
  name,
})

/** A right may be granted at any time, and no event tells. */
const forbidden = (access: MissingRight): ObservedInput => ({
  state: 'Failed',
  failure: faultOf(accessRefusal(access, []), true),
})

/** The version of an input: another one is another content. */
export const inputVersion = (object: ConfigMap | Secret | undefined): string =>
  object ? `${object.metadata.uid} ${object.metadata.resourceVersion}` : '-'

/**
 * Whether the inputs are on the hub what the caches have. ConfigMaps of a namespace share a watch and come in the order in
 * which they were written; each Secret has its own, and one of several may be behind: they are read again, and published
 * only if that was read twice alike.
 */
export async function areInputObjectsCurrent(
  hub: HubInformers,
  account: Account,
  inputs: readonly NamedInput[],
): Promise<Result<boolean, SourceFailure>> {
  const apart = inputs.filter((i) => i.kind === 'Secret')
  if (apart.length < 2) return ok(true)
  const answers = await Promise.all(apart.map((i) => isCurrent(hub, account, i)))
  const failed = answers.find((a) => !a.ok)
  return failed ?? ok(answers.every((a) => a.ok && a.value))
}

async function isCurrent(
  hub: HubInformers,
  account: Account,
  input: NamedInput,
): Promise<Result<boolean, SourceFailure>> {
  const found = await hub
    .inputs(account)
    .get(secretKind, { namespace: account.namespace, name: input.name }, { purpose: 'reread' })
  if (!found.ok && found.error.kind !== 'NotFound')
    return err(fault('HubUnreachable', { because: 'Error', error: requestErrorText(found.error) }, true))
  const seen = observeInput(hub, account, input)
  return ok(
    seen.state === 'Read' && inputVersion(seen.object) === inputVersion(found.ok ? found.value : undefined),
  )
}

/** Each content counts once, for any number of readers and of clusters that it goes to. */
export const countParsed = ({ env }: { readonly env: Pick<Env, 'meters'> }): void =>
  env.meters.count('lockstep_sources_parsed_total', {})
