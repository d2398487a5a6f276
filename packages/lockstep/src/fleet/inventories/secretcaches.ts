import type { InformerOptions, ScopedInformer } from '@lockstep/kube/cache'
import type { KubeObject } from '@lockstep/kube/object'

/** Secrets of clusters are watched where the controller may read Secrets. */
export interface SecretCaches {
  open<T extends KubeObject, P>(o: InformerOptions<T, P>): ScopedInformer<T, P>
}
