/** In which order the units of a stage start, if nothing else says so. */
import { type Digest, digestOf, type Stored } from '@lockstep/kube/object'
import type { Module } from '../../api/kinds/index.ts'

/** A hash of module and cluster: never the list's order or a name. */
export const unitOrder = ({ metadata }: Stored<Module>, clusterUid: string): Digest =>
  digestOf('order/1', [metadata.uid, clusterUid])
