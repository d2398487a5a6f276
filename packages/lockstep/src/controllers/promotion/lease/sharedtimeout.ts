/** One deadline for several calls, one after the other: each has what those before it have left. */
import type { Clock } from '@lockstep/kube/env'
import type { CallOptions } from '../../../gitproviders/gitprovider.ts'

export function withSharedTimeout(clock: Pick<Clock, 'steady'>, o: CallOptions): () => CallOptions {
  const until = clock.steady() + o.timeoutMs
  return () => ({ ...o, timeoutMs: Math.max(0, until - clock.steady()) })
}
