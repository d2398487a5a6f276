/**
 * Modules of applications as they are to be: a cluster group has them as a Deployment has its ReplicaSets. One that was put into a
 * wave waits for the waves of the group before it, and for the applications of the wave before its own; any other for all of the
 * group. Pure.
 */

import { digestOf, short10 } from '@lockstep/kube/object'
import type { ModuleSpec, ModuleSpecGiven } from '../../../api/kinds/index.ts'
import { isModuleName } from '../../resourceset/companionspec.ts'

/** One application of a published revision. */
export interface Application {
  readonly name: string
  readonly wave: number
  /** Somebody has put it there; absent: in a revision that was published before this was told apart. */
  readonly isPlaced?: boolean
  readonly spec: Pick<ModuleSpecGiven, 'source' | 'render' | 'apply'>
}

export interface ApplicationModule {
  readonly name: string
  readonly spec: ModuleSpecGiven
}

type ParentModule = Pick<ModuleSpec, 'release' | 'targets' | 'rollout'>

const KEPT = 50

/** `<module>-<application>`, where that can be a name. */
export function applicationModuleName(module: string, application: string): string {
  const name = `${module}-${application}`
  if (isModuleName(name)) return name
  const readable = name
    .toLowerCase()
    .replace(/[^-a-z0-9]/g, '-')
    .slice(0, KEPT)
  return `${readable}-${short10(digestOf('application/1', name))}`
}

export function applicationModules(
  module: string,
  { release, targets, rollout }: ParentModule,
  applications: readonly Application[],
): ApplicationModule[] {
  return applications.map((application) => {
    const { name, spec } = application
    const { maxUnavailable, maxUnreachable, windows } = rollout
    const edge = (to: string) => ({
      id: to,
      module: { kind: 'Module' as const, name: to },
      // Without releases there is nothing to compare: the group is published before any of them is changed.
      release: release === undefined ? ('Any' as const) : ('Same' as const),
    })
    const group = application.isPlaced ? { beforeWave: application.wave } : {}
    return {
      name: applicationModuleName(module, name),
      spec: {
        ...(release === undefined ? {} : { release }),
        ...spec,
        ...(targets === undefined ? {} : { targets }),
        dependsOn: [
          { ...edge(module), ...group },
          ...waveBefore(application, applications).map((a) => edge(applicationModuleName(module, a.name))),
        ],
        rollout: {
          ...(maxUnavailable === undefined ? {} : { maxUnavailable }),
          ...(maxUnreachable === undefined ? {} : { maxUnreachable }),
          ...(windows === undefined ? {} : { windows }),
        },
      },
    }
  })
}

/**
 * Those of the nearest wave in which there are any. Who is in no wave is waited for by nobody (ADR 0085): it comes after all of the
 * group, a later wave of which may need one that would wait for it.
 */
function waveBefore({ wave }: Application, applications: readonly Application[]): Application[] {
  const before = applications.filter((a) => a.isPlaced !== false && a.wave < wave)
  const nearest = Math.max(...before.map((a) => a.wave))
  return before.filter((a) => a.wave === nearest)
}
