/**
 * Modules of applications as they are to be: a cluster group has them as a Deployment has its ReplicaSets. Each waits for all of
 * the cluster group, and for the applications of the wave before its own. Pure.
 */
import type { ModuleSpec, ModuleSpecGiven } from '../../../api/kinds/module.ts'
import { digestOf, short10 } from '../../../object/object.ts'
import { isModuleName } from '../../resourceset/companion.ts'

/** One application of a published revision. */
export interface Application {
  readonly name: string
  readonly wave: number
  readonly spec: Pick<ModuleSpecGiven, 'source' | 'render' | 'apply'>
}

export interface Companion {
  readonly name: string
  readonly spec: ModuleSpecGiven
}

type Parent = Pick<ModuleSpec, 'release' | 'targets' | 'rollout'>

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
  { release, targets, rollout }: Parent,
  applications: readonly Application[],
): Companion[] {
  const waves = [...new Set(applications.map((a) => a.wave))].sort((a, b) => a - b)
  return applications.map(({ name, wave, spec }) => {
    const before = waves[waves.indexOf(wave) - 1]
    const after = applications
      .filter((a) => a.wave === before)
      .map((a) => applicationModuleName(module, a.name))
    const { maxUnavailable, maxUnreachable, windows } = rollout
    return {
      name: applicationModuleName(module, name),
      spec: {
        ...(release === undefined ? {} : { release }),
        ...spec,
        ...(targets === undefined ? {} : { targets }),
        // Without releases there is nothing to compare: the group is published before any of them is changed.
        dependsOn: [module, ...after].map((to) => ({
          ...{ id: to, module: { kind: 'Module' as const, name: to } },
          release: release === undefined ? ('Any' as const) : ('Same' as const),
        })),
        rollout: {
          ...(maxUnavailable === undefined ? {} : { maxUnavailable }),
          ...(maxUnreachable === undefined ? {} : { maxUnreachable }),
          ...(windows === undefined ? {} : { windows }),
        },
      },
    }
  })
}
