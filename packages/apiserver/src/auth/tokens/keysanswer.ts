import type { ServerResponse } from '@lockstep/kube/env'
import { encodeJson } from '@lockstep/kube/object'
import { headersFor } from '../../render/jsonanswer.ts'
import type { EmbeddedCluster } from '../../server/embeddedcluster.ts'

/** `/openid/v1/jwks`: what tokens of this cluster can be verified with (apiserver pkg/routes/openidmetadata.go). */
export const keysAnswer = (cluster: EmbeddedCluster): ServerResponse => ({
  status: 200,
  headers: { ...headersFor('application/jwk-set+json'), 'cache-control': 'public, max-age=3600' },
  body: encodeJson(cluster.issuer.jwks()),
})
