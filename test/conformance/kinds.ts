import { clustergroup } from './clustergroup/kind.ts'
import { health } from './health/kind.ts'
import type { FolderKind, Kind } from './kind.ts'
import { ssa } from './ssa/kind.ts'

/** Every kind of conformance data that can be run. */
export const kinds: Readonly<Record<string, Kind | FolderKind>> = { health, ssa, clustergroup }
