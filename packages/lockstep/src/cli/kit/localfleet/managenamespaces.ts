import type { ApiServer } from '@lockstep/apiserver/server'
import { startInformer } from '@lockstep/kube/cache'
import type { KubeClient } from '@lockstep/kube/client'
import type { Env } from '@lockstep/kube/env'
import { namespaceKind } from '@lockstep/kube/kinds'
import type { KubeObject } from '@lockstep/kube/object'
import { SYSTEM_NAMESPACE } from '../../../api/labels.ts'
import { managedNamespace } from '../install/index.ts'
import { LOCAL_PROFILES } from './localfleet.ts'

const isSystem = (name: string): boolean => name.startsWith('kube-') || name === SYSTEM_NAMESPACE

/** Each namespace of the hub is managed from its beginning on, as `lockstep install --namespaces` would have it. */
export function manageNamespaces(env: Env, hub: ApiServer, admin: KubeClient): { stop(): void } {
  const informer = startInformer(env, admin, { kind: namespaceKind, project: (o) => o.metadata.name })
  informer.store.subscribe(({ before, after }) => {
    if (after === undefined || before !== undefined || isSystem(after)) return
    for (const o of managedNamespace(after, LOCAL_PROFILES)) {
      // Existing objects are not changed.
      if (o.kind !== 'Namespace') hub.local.create(o as unknown as KubeObject, 'lockstep-up')
    }
  })
  return informer
}
