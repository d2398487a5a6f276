/** ConfigMaps and Secrets of the hub that objects name, as their accounts may read them. */

import { type Informer, type ReadOnlyStore, startInformer } from '@lockstep/kube/cache'
import type { RequestError, ServedResource } from '@lockstep/kube/client'
import type { Env } from '@lockstep/kube/env'
import { type ConfigMap, configMapKind, secretKind } from '@lockstep/kube/kinds'
import { type Stored, withKnownData } from '@lockstep/kube/object'
import type { AccessRight, Account } from '../../../api/account.ts'
import type { HubClients } from '../../../fleet/clusters/index.ts'
import {
  type ObjectSelection,
  ObjectSelections,
  type ObservedSelection,
} from '../../../fleet/connection/index.ts'

export interface InputConfigMaps {
  readonly store: ReadOnlyStore<Stored<ConfigMap>>
  /** Why they cannot be read now. */
  readonly error: RequestError | undefined
}

/** Secrets that objects name, one by one: the others of a namespace are not kept in memory. */
export interface InputSecrets {
  select(account: Account, s: ObjectSelection): ObservedSelection
  /** As it is now. */
  list: (account: Account, s: ObjectSelection) => ReturnType<ObjectSelections['list']>
  /** Ends its watches, of all accounts, unless a request still reads it. */
  release(id: string): void
}

export interface HubInputs {
  readonly secrets: InputSecrets
  configMaps(account: Account): InputConfigMaps
  /** The account lost the right to read it: its watch ends. The server would not end it. */
  refuse(account: Account, right: AccessRight): void
  stop(): void
}

export interface HubInputEvents {
  changed(
    kind: 'configMaps',
    before: Stored<ConfigMap> | undefined,
    after: Stored<ConfigMap> | undefined,
  ): void
  /** A Secret, by the id of its selection; false: no request reads it any more. */
  secretChanged(id: string): boolean
  /** All ConfigMaps of a namespace are known, or the right to read them has changed. */
  synced(): void
}

/** Caches by user: what one account may read says nothing of another one. */
export function openInputs(env: Env, clients: HubClients, events: HubInputEvents): HubInputs {
  const configMaps = new Map<string, WatchedConfigMaps>()
  const secrets = new Map<string, ObjectSelections>()
  const secretsOf = (account: Account): ObjectSelections => {
    const user = clients.userOf(account)
    const tell = (id: string): boolean => events.secretChanged(id)
    const found = secrets.get(user) ?? new ObjectSelections(env, clients.inputs(account), servedSecret, tell)
    secrets.set(user, found)
    return found
  }
  return {
    secrets: {
      select: (account, s) => secretsOf(account).select(s),
      list: (account, s) => secretsOf(account).list(s),
      release(id) {
        for (const selections of secrets.values()) selections.release(id)
      },
    },
    configMaps(account) {
      const user = clients.userOf(account)
      const found = configMaps.get(user) ?? new WatchedConfigMaps(env, clients, account, events)
      configMaps.set(user, found)
      return found
    },
    refuse(account, right) {
      const user = clients.userOf(account)
      secrets.get(user)?.refuse(right)
      const found = configMaps.get(user)
      if (!found || right.group !== '' || right.resource !== configMapKind.plural) return
      found.stop()
      configMaps.delete(user)
      events.synced()
    },
    stop() {
      for (const i of [...configMaps.values(), ...secrets.values()]) i.stop()
    },
  }
}

class WatchedConfigMaps implements InputConfigMaps {
  error: RequestError | undefined
  private readonly informer: Informer<ConfigMap, Stored<ConfigMap>>

  constructor(env: Env, clients: HubClients, account: Account, events: HubInputEvents) {
    const { namespace } = account
    this.informer = startInformer(env, clients.inputs(account), {
      kind: configMapKind,
      namespace,
      project: withKnownData,
      onHealth: (error) => {
        const isNew = (this.error?.kind === 'Forbidden') !== (error?.kind === 'Forbidden')
        this.error = error
        if (isNew) events.synced()
      },
    })
    this.store.subscribe(({ before, after }) => events.changed('configMaps', before, after))
    this.store.onSynced(() => events.synced())
  }

  get store(): ReadOnlyStore<Stored<ConfigMap>> {
    return this.informer.store
  }

  stop(): void {
    this.informer.stop()
  }
}

/** Every server serves them; nothing else is asked for. */
const servedSecret = (): ServedResource => ({ ...secretKind, verbs: [], hasStatus: false, preferred: true })
