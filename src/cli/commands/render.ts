import type { Module, moduleKind } from '../../api/registry.ts'
import { moduleRefOf } from '../../deliver/names.ts'
import type { Result } from '../../env/result.ts'
import { encodeYaml, type KubeObject, parseApiVersion, short10 } from '../../object/object.ts'
import { type Command, type Context, listFlag, textFlag } from '../command.ts'
import { filenameOption } from '../documents/read.ts'
import { type CliFailure, failed, INTERRUPTED, requestFailure } from '../failure.ts'
import { type Hub, openHub } from '../hub/hub.ts'
import { findTarget } from '../hub/kubeconfig.ts'
import { nameOf, targetOf } from '../kinds.ts'
import { forPrograms, listOf, printData } from '../output/objects.ts'
import { modulesIn, refused, titleOf } from '../render/files.ts'
import { makeWritten } from '../render/written.ts'
import { bundlesOf, revisionFor, revisionsOf } from '../units/units.ts'
import { notFound } from './get.ts'

/** What one module makes, and a line about it. */
interface Rendering {
  readonly title: string
  readonly objects: readonly KubeObject[]
}

/** `lockstep render`. */
export const render: Command = {
  name: 'render',
  summary: 'Print the objects that a module makes',
  arguments: '[kind/name]',
  completes: ['moduleTarget'],
  detail:
    'With KIND/NAME what is published, or --revision; with -f what the files would make now: inputs that are not in the files are read from the hub, Git is asked. Nothing is written. The objects are as every cluster gets them, before spec.render.namespace fills in what it serves namespaced. Values of Secrets are shown as ***.',
  options: [
    filenameOption,
    { flags: '--revision <revision>', text: 'another revision or release of its history' },
  ],
  formats: ['yaml', 'json', 'name'],
  examples: [
    ['What is published', 'render module/monitoring -n platform'],
    ['What a change would make, before it is applied', 'render -f module.yaml'],
    ['Compared with what an earlier release made', 'render module/monitoring --revision 2026.10 -n platform'],
  ],
  async run(c, args, flags) {
    const paths = listFlag(flags, 'filename')
    const prefix = textFlag(flags, 'revision')
    if ((paths.length === 0) === (args[0] === undefined))
      return failed('E_USAGE', {
        problem: 'render takes KIND/NAME or -f',
        suggestion: 'For example lockstep render module/web, or lockstep render -f module.yaml.',
      })
    if (paths.length > 0 && prefix !== undefined)
      return failed('E_USAGE', {
        problem: '--revision is for KIND/NAME',
        suggestion: 'Leave it out, or name the module instead of files.',
      })
    const made = await (paths.length > 0 ? fromFiles(c, paths) : fromHub(c, args[0]!, prefix))
    if (c.signal.aborted) return { ok: true, value: INTERRUPTED }
    if (!made.ok) return made
    print(c, made.value)
    return { ok: true, value: 0 }
  },
}

function print(c: Context, renderings: readonly Rendering[]): void {
  const objects = renderings.flatMap((r) => r.objects).map(forPrograms)
  if (c.globals.output !== 'yaml') {
    printData(
      c,
      listOf(objects),
      objects.map((o) => nameOf({ ...parseApiVersion(o.apiVersion), kind: o.kind }, o.metadata.name ?? '')),
    )
    return
  }
  const texts = renderings.map(({ title, objects: of }) =>
    [`# ${title}\n`, of.map((o) => encodeYaml(forPrograms(o))).join('---\n')].join(''),
  )
  c.terminal.data(texts.join('---\n'))
}

async function fromFiles(c: Context, paths: readonly string[]): Promise<Result<Rendering[], CliFailure>> {
  const written = await modulesIn(c, paths)
  if (!written.ok) return written
  const hub = await hubOrNone(c)
  if (!hub.ok) return hub
  try {
    const made: Rendering[] = []
    for (const module of written.value.modules) {
      const found = await makeWritten(c, module, written.value.beside, hub.value)
      if (!found.ok) return refused(module, found.error)
      made.push({ title: `${titleOf(module)}, ${found.value.sourceRevision}`, objects: found.value.objects })
    }
    return { ok: true, value: made }
  } finally {
    await hub.value?.client.close()
  }
}

/** Files that bring all they need want no hub. */
async function hubOrNone(c: Context): Promise<Result<Hub | undefined, CliFailure>> {
  const target = await findTarget(c)
  return target.ok || c.globals.kubeconfig !== undefined ? openHub(c) : { ok: true, value: undefined }
}

async function fromHub(
  c: Context,
  text: string,
  prefix: string | undefined,
): Promise<Result<Rendering[], CliFailure>> {
  const target = targetOf(text)
  if (!target.ok) return target
  const { kind, name } = target.value
  if (kind.internal)
    return failed('E_USAGE', {
      problem: `${text} makes no objects of its own`,
      suggestion: 'Render its module: lockstep render module/NAME.',
    })
  const hub = await openHub(c)
  if (!hub.ok) return hub
  const { client, namespace, server } = hub.value
  try {
    const found = await client.get<Module>(kind as typeof moduleKind, { namespace, name }, { why: 'user' })
    if (!found.ok)
      return found.error.kind === 'NotFound'
        ? await notFound(c, hub.value, kind, name)
        : requestFailure(found.error, server)
    const ref = moduleRefOf(found.value)
    const history = await revisionsOf(c, hub.value, ref)
    if (!history.ok) return history
    const wanted =
      prefix === undefined ? ({ type: 'published' } as const) : ({ type: 'revision', prefix } as const)
    const revision = revisionFor(
      { module: found.value, ref, cluster: '', inventory: undefined },
      wanted,
      history.value,
    )
    if (!revision.ok) return revision
    const record = revision.value!
    const bundle = await bundlesOf(hub.value).get(namespace, record.bundle)
    if (!bundle.ok) return refused(found.value, bundle.error)
    const release = record.release === undefined ? '' : ` of release ${record.release}`
    const title = `${titleOf(found.value)}, revision ${short10(record.revision)}${release}, ${record.sourceRevision}`
    return { ok: true, value: [{ title, objects: bundle.value.objects }] }
  } finally {
    await client.close()
  }
}
