/** `lockstep render clustergroup`: what values files of a Validated Pattern make, without a cluster, without Helm. */

import { err, ok, type Result } from '@lockstep/kube/env'
import { isObject, type JsonObject, type KubeObject } from '@lockstep/kube/object'
import {
  type ClusterGroupInput,
  type ClusterGroupValuesFile,
  type Problem,
  renderClusterGroup,
} from '../../../decisions/clustergroup/index.ts'
import { toManifests } from '../../../sources/intake/index.ts'
import { type CliFailure, type CommandContext, failed } from '../index.ts'
import { CLUSTERGROUP_TOPIC } from './clustergrouptopic.ts'
import { readValues } from './readvalues.ts'

export interface RenderedValues {
  readonly title: string
  readonly objects: readonly KubeObject[]
}

/** Warnings go to standard error. */
export async function renderValues(
  c: CommandContext,
  paths: readonly string[],
  sequencing: NonNullable<ClusterGroupInput['sequencing']>,
): Promise<Result<RenderedValues, CliFailure>> {
  if (paths.length === 0)
    return failed('E_USAGE', {
      problem: `render ${CLUSTERGROUP_TOPIC} takes values files`,
      suggestion: `for example: lockstep render ${CLUSTERGROUP_TOPIC} -f values-global.yaml -f values-hub.yaml`,
    })
  const read = await readAllValues(c, paths)
  if (!read.ok) return read
  const made = renderClusterGroup({ files: read.value, sequencing })
  if (!made.ok) return refusedValues(made.error)
  const objects: KubeObject[] = []
  for (const o of made.value.objects) {
    const found = asObjects(o)
    if (!found.ok) return failed('E_VALUES', { problem: found.error })
    objects.push(...found.value)
  }
  printWarnings(c, made.value.warnings)
  return { ok: true, value: { title: `${CLUSTERGROUP_TOPIC} of ${paths.join(', ')}`, objects } }
}

export function printWarnings({ terminal: t }: CommandContext, warnings: readonly string[]): void {
  for (const w of warnings) t.talk(`${t.paint('yellow', 'warning:')} ${w}`)
}

/** Extra objects are whatever values say: here they have to be objects. What is in them may be secret, what they have is not. */
function asObjects(o: JsonObject): Result<KubeObject[], string> {
  const found = toManifests(
    o,
    `clusterGroup.extraObjects: the one with ${Object.keys(o).join(', ') || 'nothing'}`,
  )
  if (!found.ok) return err(`${found.error.message}; write a complete object`)
  const bare = found.value.find(({ object }) => !isObject(object.metadata))
  return bare
    ? err(`${bare.origin}: metadata is missing; write a complete object`)
    : ok(found.value.map((m) => m.object))
}

/** All of them, or the first one that cannot be read. */
export async function readAllValues(
  c: CommandContext,
  paths: readonly string[],
): Promise<Result<readonly ClusterGroupValuesFile[], CliFailure>> {
  const { files, missing, broken } = await readValues(c, paths)
  const [gone] = missing
  if (gone) return failed('E_FILE_READ', gone, { file: gone.path })
  return broken.length > 0 ? refusedValues(broken) : ok(files)
}

/** All problems; the last one ends the command. */
export function refusedValues(problems: readonly Problem[]): {
  readonly ok: false
  readonly error: CliFailure
} {
  const all = problems.map(({ text }) => failed('E_VALUES', { problem: text }).error)
  const before = all.slice(0, -1).map((e) => ({ ...e, hint: '' }))
  return { ok: false, error: { ...all.at(-1)!, before } }
}
