/** `lockstep import pipelines`: Pipelines of weaveworks' pipeline-controller as ours, without a cluster. */

import {
  encodeYaml,
  type JsonObject,
  type JsonValue,
  valuePathText,
  type YamlPath,
} from '@lockstep/kube/object'
import { z } from 'zod'
import { API_VERSION } from '../../../api/apiversion.ts'
import { pipelineKind } from '../../../api/kinds/index.ts'
import type { FilePosition } from '../../../decisions/clustergroup/index.ts'
import { readWeavePipeline, type WeavePipeline, weavePipelineKind } from '../../../decisions/weave/index.ts'
import {
  type BrokenDocument,
  type FluxManifest,
  positionOf,
  readManifests,
} from '../../../tools/flux/index.ts'
import { type PathContents, readPaths } from '../../kit/check/index.ts'
import {
  type CommandContext,
  type CommandResult,
  type Flags,
  failed,
  isSet,
  textFlag,
} from '../../kit/index.ts'
import { defineReport, printData } from '../../kit/output/index.ts'
import { plural } from '../../kit/terminal/index.ts'
import { writeNewFiles } from './newfiles.ts'

const listed = z.strictObject({
  file: z.string(),
  line: z.number().describe('Line, from 1.'),
  column: z.number().describe('Column, from 1.'),
  of: z.string().describe('Pipeline, such as Pipeline apps/podinfo.'),
  field: z.string().describe('Path of the field; empty for the whole Pipeline.'),
  why: z.string(),
})

export const pipelineImportReport = defineReport('PipelineImport', {
  pipelines: z.array(z.unknown()).readonly(),
  problems: z.array(listed).readonly().describe('Problems because of which the Pipeline is not converted.'),
  notes: z
    .array(listed)
    .readonly()
    .describe('Fields that had no effect before and have one now, or lose their effect.'),
  unreadable: z.array(z.string()).readonly(),
  written: z.boolean(),
})

type ListedPipelines = z.output<typeof listed>

interface ImportedPipelines {
  readonly units: number
  readonly pipelines: readonly WeavePipeline[]
  readonly problems: readonly ListedPipelines[]
  readonly notes: readonly ListedPipelines[]
  readonly unreadable: readonly string[]
}

export async function importPipelines(
  c: CommandContext,
  paths: readonly string[],
  flags: Flags,
): Promise<CommandResult> {
  const EXAMPLE = 'for example: lockstep import pipelines -f pipelines --out imported'
  if (paths.length === 0)
    return failed('E_USAGE', { problem: 'import pipelines takes files or folders', suggestion: EXAMPLE })
  const made = await madeOf(c, await readPaths(c, paths))
  const code = made.unreadable.length > 0 ? 2 : made.problems.length > 0 ? 1 : 0
  if (code === 0 && made.units === 0)
    return failed('E_USAGE', {
      problem: `no Pipeline of ${weavePipelineKind.group} in ${paths.join(', ')}`,
      suggestion:
        'name the folder with Pipelines, or pipe in the output of: kubectl get pipelines.pipelines.weave.works -o yaml',
    })
  const files = made.pipelines.map((p) => ({ name: `${p.namespace}.${p.name}.yaml`, text: textOf(p) }))
  const out = textFlag(flags, 'out')
  const isWritten = out !== undefined && code === 0
  if (isWritten) {
    const wrote = await writeNewFiles(c, out, files, isSet(flags, 'force'))
    if (!wrote.ok) return wrote
  }
  const report = pipelineImportReport.fill({
    pipelines: code === 0 ? made.pipelines.map(objectOf) : [],
    problems: made.problems,
    notes: made.notes,
    unreadable: made.unreadable,
    written: isWritten,
  })
  const names = made.pipelines.map(
    (p) => `${pipelineKind.kind.toLowerCase()}.${pipelineKind.group}/${p.name}`,
  )
  if (!printData(c, report, names)) draw(c, made, code, out, files)
  return { ok: true, value: code }
}

async function madeOf({ globals }: CommandContext, read: PathContents): Promise<ImportedPipelines> {
  const { manifests, broken } = readManifests(read.files)
  const pipelines: WeavePipeline[] = []
  const problems: ListedPipelines[] = []
  const notes: ListedPipelines[] = []
  const known = new Map<string, FluxManifest>()
  const own = manifests.filter((m) => m.group === weavePipelineKind.group && m.kind === 'Pipeline')
  for (const m of own) {
    const of = `Pipeline ${m.namespace ? `${m.namespace}/` : ''}${m.name}`
    const say = (path: YamlPath, why: string): ListedPipelines => ({
      ...placeIn(m, path),
      of,
      field: valuePathText(path),
      why,
    })
    const made = readWeavePipeline(m.value, globals.namespace)
    if (!made.ok) {
      problems.push(...made.error.map((p) => say(p.path, p.problem)))
      continue
    }
    const id = `${made.value.namespace}/${made.value.name}`
    const before = known.get(id)
    if (before)
      problems.push(say([], `also defined in ${placeText(placeIn(before, []))}: remove one of them`))
    known.set(id, m)
    pipelines.push(made.value)
    notes.push(...made.value.findings.map((n) => say(n.path, n.why)))
  }
  const unreadable = [
    ...read.unreadable.map((u) => `${u.file}: ${u.problem}`),
    ...broken.map((b: BrokenDocument) => `${placeText(b)}: ${b.problem}`),
  ]
  return { units: own.length, pipelines, problems, notes, unreadable }
}

/** Of what is not there: where what it would be in is. */
function placeIn(m: FluxManifest, path: YamlPath): FilePosition {
  if (path.length === 0) return positionOf(m, ['metadata', 'name'])
  return positionOf(m, path, typeof path.at(-1) === 'string' ? 'key' : 'value')
}

const placeText = ({ file, line, column }: FilePosition): string => `${file}:${line}:${column}`

const objectOf = ({ namespace, name, texts, given }: WeavePipeline): JsonObject => ({
  apiVersion: API_VERSION,
  kind: pipelineKind.kind,
  metadata: { name, namespace, ...texts },
  spec: given,
})

const textOf = (p: WeavePipeline): string =>
  `# Pipeline ${p.namespace}/${p.name} of ${weavePipelineKind.group}: delete that one before you apply this one.\n${encodeYaml(objectOf(p) as JsonValue)}`

/** Without --out the Pipelines alone are on standard output. */
function draw(
  { terminal: t }: CommandContext,
  { problems, notes, unreadable, pipelines }: ImportedPipelines,
  code: number,
  out: string | undefined,
  files: readonly { readonly name: string; readonly text: string }[],
): void {
  const line = (l: ListedPipelines, how: string) =>
    `${placeText(l)} ${l.field === '' ? l.of : `${t.paint('bold', l.field)} of ${l.of}`} ${how} ${l.why}`
  for (const n of notes) t.talk(line(n, `${t.paint('cyan', 'note')}:`))
  for (const p of problems) t.talk(line(p, `${t.paint('red', 'error')}:`))
  for (const u of unreadable) t.talk(`${t.paint('red', 'error:')} ${u}`)
  if (code !== 0) t.talk('Nothing was written: correct the problems above first.')
  else if (out === undefined) t.data(files.map((f) => f.text).join('---\n'))
  else
    t.print(
      `${plural(pipelines.length, 'Pipeline')} written to ${out}: ${files.map((f) => f.name).join(', ')}`,
    )
}
