import { clustergroup } from './clustergroup/clustergroupkind.ts'
import type { ConformanceKind, FolderKind } from './conformancekind.ts'
import { health } from './health/healthkind.ts'
import { ssa } from './ssa/ssakind.ts'

/** Every kind of conformance data that can be run. */
export const kinds: Readonly<Record<string, ConformanceKind | FolderKind>> = { health, ssa, clustergroup }
