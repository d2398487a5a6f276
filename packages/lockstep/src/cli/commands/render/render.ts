import type { Result } from '@lockstep/kube/env'
import { encodeYaml, type KubeObject, parseApiVersion, short10 } from '@lockstep/kube/object'
import type { Module, moduleKind } from '../../../api/kinds/index.ts'
import { boundObject } from '../../../decisions/binding/index.ts'
import { moduleRefOf } from '../../../deliver/plan/index.ts'
import type { Bundle, SourceFailure } from '../../../sources/intake/index.ts'
import { filenameOption } from '../../kit/documents/index.ts'
import {
  ClusterConnections,
  type HubConnection,
  hubOrNone,
  noCluster,
  notFound,
  openHub,
} from '../../kit/hub/index.ts'
import {
  type CliFailure,
  type Command,
  type CommandContext,
  type CommandResult,
  type Flags,
  failed,
  INTERRUPTED,
  listFlag,
  nameOf,
  requestFailure,
  targetOf,
  textFlag,
} from '../../kit/index.ts'
import { forPrograms, listOf, printData } from '../../kit/output/index.ts'
import {
  bindFileModule,
  CLUSTERGROUP_TOPIC,
  moduleRefusal,
  printWarnings,
  readFileModules,
  renderFileModule,
  renderValues,
  titleOf,
} from '../../kit/render/index.ts'
import { clusterNames, readSnapshot } from '../../kit/snapshot/index.ts'
import { boundNow, bundlesOf, clusterOption, revisionFor, revisionsOf } from '../../kit/units/index.ts'

/** What one module makes, and a line about it. */
interface RenderRun {
  readonly title: string
  readonly objects: readonly KubeObject[]
}

/** `lockstep render`. */
export const renderCommand: Command = {
  name: 'render',
  summary: 'Print the manifests of a Module, or of pattern values',
  arguments: '[kind/name|clustergroup]',
  completes: ['rendered'],
  detail: [
    'With KIND/NAME, prints the published manifests, or those of --revision. With -f, renders the files now: other inputs are read from the hub and from Git. Nothing is written. Objects have no default namespace yet, which each cluster adds from spec.render.namespace. With --cluster, spec.bindings are replaced by their values on that cluster. Values of Secrets are printed as ***.',
    'render clustergroup -f FILE...: renders the cluster group of a Validated Pattern from values files, without a cluster and without Helm; later files override earlier ones. Prints the objects of the chart, with the Jobs of sequenceJob. With --sequencing Native, prints the objects of a Module, with waits in place of polling Jobs. Other objects of the chart are not rendered; warnings name them. docs/reference/clustergroup.md lists supported values; exit 2 for other values.',
  ].join('\n'),
  options: [
    filenameOption,
    { flags: '--revision <revision>', text: 'revision or release of the history' },
    { ...clusterOption, text: 'cluster whose bindings are used' },
    {
      flags: '--sequencing <mode>',
      text: 'clustergroup: polling Jobs as in the chart (default), or waits as in a Module',
      choices: ['Jobs', 'Native'],
    },
  ],
  formats: ['yaml', 'json', 'name'],
  examples: [
    ['Print the published manifests', 'render module/monitoring -n platform'],
    ['Print the manifests of a file before you apply it', 'render -f module.yaml'],
    ['Compare with an earlier release', 'render module/monitoring --revision 2026.10 -n platform'],
    [
      'Print the manifests of a Validated Pattern',
      'render clustergroup -f values-global.yaml -f values-hub.yaml',
    ],
  ],
  async run(c, args, flags) {
    const paths = listFlag(flags, 'filename')
    const prefix = textFlag(flags, 'revision')
    if (args[0] === CLUSTERGROUP_TOPIC) return clusterGroup(c, paths, flags)
    if (textFlag(flags, 'sequencing') !== undefined)
      return failed('E_USAGE', {
        problem: `--sequencing requires render ${CLUSTERGROUP_TOPIC}`,
        suggestion: 'remove it: a Module is rendered as its spec says',
      })
    if ((paths.length === 0) === (args[0] === undefined))
      return failed('E_USAGE', {
        problem: 'render requires KIND/NAME or -f',
        suggestion: 'for example: lockstep render module/web, or lockstep render -f module.yaml',
      })
    if (paths.length > 0 && prefix !== undefined)
      return failed('E_USAGE', {
        problem: '--revision requires KIND/NAME',
        suggestion: 'remove it, or name the Module instead of files',
      })
    const cluster = textFlag(flags, 'cluster')
    const made = await (paths.length > 0
      ? fromFiles(c, paths, cluster)
      : fromHub(c, args[0]!, prefix, cluster))
    if (c.signal.aborted) return { ok: true, value: INTERRUPTED }
    if (!made.ok) return made
    print(c, made.value)
    return { ok: true, value: 0 }
  },
}

/** Flags that say nothing to values files. */
const OF_MODULES = ['revision', 'cluster']

async function clusterGroup(
  c: CommandContext,
  paths: readonly string[],
  flags: Flags,
): Promise<CommandResult> {
  const idle = OF_MODULES.find((flag) => textFlag(flags, flag) !== undefined)
  if (idle !== undefined)
    return failed('E_USAGE', {
      problem: `--${idle} requires a Module, not render ${CLUSTERGROUP_TOPIC}`,
      suggestion: 'remove it: values files have no history, and are the same for each cluster',
    })
  const mode = textFlag(flags, 'sequencing') === 'Native' ? 'Native' : 'Jobs'
  const made = await renderValues(c, paths, mode)
  if (!made.ok) return made
  print(c, [made.value])
  return { ok: true, value: 0 }
}

function print(c: CommandContext, renderings: readonly RenderRun[]): void {
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

async function fromFiles(
  c: CommandContext,
  paths: readonly string[],
  cluster: string | undefined,
): Promise<Result<RenderRun[], CliFailure>> {
  const written = await readFileModules(c, paths)
  if (!written.ok) return written
  const hub = await (cluster === undefined ? hubOrNone(c) : openHub(c))
  if (!hub.ok) return hub
  try {
    const made: RenderRun[] = []
    for (const module of written.value.modules) {
      const found = await renderFileModule(c, module, written.value.beside, hub.value)
      if (!found.ok) return moduleRefusal(module, found.error)
      const { objects, sourceRevision, warnings } = found.value
      printWarnings(c, warnings)
      const { beside } = written.value
      const bound = await onCluster(c, hub.value, cluster, (on) =>
        bindFileModule(c, module, objects, beside, on),
      )
      if (!bound.ok) return bound
      if (bound.value && !bound.value.ok) return moduleRefusal(module, bound.value.error)
      made.push({ title: `${titleOf(module)}, ${sourceRevision}`, objects: shownOf(objects, bound.value) })
    }
    return { ok: true, value: made }
  } finally {
    await hub.value?.client.close()
  }
}

type BoundBundle = Result<Bundle, SourceFailure> | undefined

/** What a cluster gets; undefined: none is meant. */
async function onCluster(
  c: CommandContext,
  hub: HubConnection | undefined,
  cluster: string | undefined,
  bind: (on: {
    hub: HubConnection
    clusters: ClusterConnections
    cluster: string
  }) => Promise<Result<Bundle, SourceFailure>>,
): Promise<Result<BoundBundle, CliFailure>> {
  if (!hub || cluster === undefined) return { ok: true, value: undefined }
  const seen = await readSnapshot(c, hub)
  if (!seen.ok) return seen
  const known = clusterNames(seen.value)
  if (!known.includes(cluster)) return noCluster(cluster, known, hub)
  const clusters = new ClusterConnections(c, hub, seen.value.clusters)
  try {
    return { ok: true, value: await bind({ hub, clusters, cluster }) }
  } finally {
    await clusters.close()
  }
}

/** Bound, and without what comes of Secrets. */
function shownOf(objects: readonly KubeObject[], bound: BoundBundle): readonly KubeObject[] {
  if (!bound?.ok || !bound.value.values) return bound?.ok ? bound.value.objects : objects
  const shown = [...bound.value.values].map(([name, v]) => [name, v.secret ? HIDDEN : v] as const)
  return objects.map((o) => boundObject(o, new Map(shown)))
}

const HIDDEN = { value: '***' }

async function fromHub(
  c: CommandContext,
  text: string,
  prefix: string | undefined,
  cluster: string | undefined,
): Promise<Result<RenderRun[], CliFailure>> {
  const target = targetOf(text)
  if (!target.ok) return target
  const { kind, name } = target.value
  if (!kind.sourced)
    return failed('E_USAGE', {
      problem: `${text} has no manifests`,
      suggestion: 'render its Module: lockstep render module/NAME',
    })
  const hub = await openHub(c)
  if (!hub.ok) return hub
  const { client, namespace, server } = hub.value
  try {
    const found = await client.get<Module>(
      kind as typeof moduleKind,
      { namespace, name },
      { purpose: 'user' },
    )
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
    if (!bundle.ok) return moduleRefusal(found.value, bundle.error)
    const binder = { hub: hub.value, bundles: bundlesOf(hub.value) }
    const bound = await onCluster(c, hub.value, cluster, ({ clusters, cluster: name }) =>
      boundNow(c, { ref, cluster: name }, record, { ...binder, clusters }),
    )
    if (!bound.ok) return bound
    if (bound.value && !bound.value.ok) return moduleRefusal(found.value, bound.value.error)
    const release = record.release === undefined ? '' : ` of release ${record.release}`
    const title = `${titleOf(found.value)}, revision ${short10(record.revision)}${release}, ${record.sourceRevision}`
    return { ok: true, value: [{ title, objects: shownOf(bundle.value.objects, bound.value) }] }
  } finally {
    await client.close()
  }
}
