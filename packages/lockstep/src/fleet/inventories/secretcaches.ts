import type { InformerOptions, ScopedInformer } from '@lockstep/kube/cache'
import type { ListerWatcher } from '@lockstep/kube/client'
import type { KubeObject } from '@lockstep/kube/object'

/** Secrets of clusters are watched where the controller may read Secrets. */
export interface SecretCaches {
  open<T extends KubeObject, P, Of>(
    client: ListerWatcher<Of>,
    o: InformerOptions<T, P, Of>,
  ): ScopedInformer<T, P>
}
