import { ok, type Result } from '@lockstep/kube/env'
import { API_VERSION } from '../../../api/apiversion.ts'
import { isReadyNow } from '../../../api/conditions.ts'
import { FleetAnswers } from '../../../controllers/plan/index.ts'
import { type Cause, rootsOf } from '../../../decisions/answer/index.ts'
import { type HubConnection, openHub } from '../../kit/hub/index.ts'
import {
  type CliFailure,
  type Command,
  type CommandContext,
  type CommandResult,
  failed,
  textFlag,
} from '../../kit/index.ts'
import { printData } from '../../kit/output/index.ts'
import {
  environmentNamed,
  environmentsBehind,
  pipelineNamed,
  pipelineWord,
  promotionNamed,
  promotionTree,
  promotionWord,
  readAllPipelines,
} from '../../kit/pipelines/index.ts'
import {
  clusterNames,
  type FleetSnapshot,
  isOnCluster,
  readFleetObjects,
  readSnapshot,
} from '../../kit/snapshot/index.ts'
import { nearest } from '../../kit/terminal/index.ts'
import { drawWhy, readTree, type WhyTree, whyReport } from '../../kit/why/index.ts'

/** `lockstep why`. */
export const whyCommand: Command = {
  name: 'why',
  summary: 'Find the root cause why a unit or a promotion waits',
  arguments: '<what>',
  completes: ['waiting'],
  detail:
    'WHAT: a unit as MODULE@CLUSTER, or MODULE with --cluster. MODULE alone is its first cluster that is not ready. It is the Module as a whole if it selects no cluster. For pipeline/NAME it is an environment: pipeline/NAME@ENVIRONMENT, or the first that waits. promotion/NAME is the environment of that promotion. For an assemblage of an external controller it is KIND/NAME@CLUSTER. Exit 1 while it waits or has failed. Objects and Pods are read from the cluster.',
  options: [{ flags: '--cluster <name>', completes: 'cluster', text: 'cluster of the unit' }],
  examples: [
    ['Find the root cause for a unit', 'why monitoring@prod-eu -n platform'],
    ['Find the root cause for an environment', 'why pipeline/podinfo@staging -n platform'],
    ['Print JSON for scripts', 'why monitoring --cluster prod-eu -n platform -o json'],
  ],
  async run(c, args, flags) {
    const [name, at] = args[0]!.replace(/^modules?\//i, '').split('@')
    const cluster = textFlag(flags, 'cluster') ?? at
    const hub = await openHub(c)
    if (!hub.ok) return hub
    const promoting = await whyPromoting(c, hub.value, args[0]!)
    if (promoting) return promoting.ok ? show(c, promoting.value) : promoting
    const seen = await readSnapshot(c, hub.value)
    if (!seen.ok) return seen
    const record =
      name?.includes('/') && cluster !== undefined ? externalUnit(seen.value, name, cluster) : undefined
    if (record) {
      const tree = await readTree(c, hub.value, seen.value, record)
      return tree.ok ? show(c, tree.value) : tree
    }
    const module = seen.value.modules.find((m) => m.metadata.name === name)
    if (!module) {
      const meant = nearest(
        name ?? '',
        seen.value.modules.map((m) => m.metadata.name),
      )
      const suggestion = meant ? `did you mean ${meant}?` : 'to search another namespace, use -n'
      return failed('E_NOT_FOUND', {
        kind: 'Module',
        name: name ?? '',
        namespace: hub.value.namespace,
        suggestion,
      })
    }
    const clusters = clusterNames(seen.value)
    if (cluster === undefined) {
      const found = await unitsOf(c, hub.value, seen.value, module)
      if (!found.ok) return found
      const { targeted, behind, isReady } = found.value
      // A source that cannot be read, or a rollback: each cluster is ready, and the Module is not.
      const chosen = behind[0] ?? (isReady ? targeted[0] : undefined)
      if (behind.length > 1)
        c.terminal.talk(
          `${name} is not ready on ${behind.length} clusters; showing ${chosen}. To choose another, use --cluster.`,
        )
      const subject =
        chosen === undefined ? ({ kind: 'Module' } as const) : ({ kind: 'Unit', cluster: chosen } as const)
      const tree = await readTree(c, hub.value, seen.value, { ...subject, ...refOf(module) })
      return tree.ok ? show(c, tree.value) : tree
    }
    if (!clusters.includes(cluster)) {
      const meant = nearest(cluster, clusters)
      const suggestion = meant
        ? `did you mean ${meant}?`
        : `clusters: ${clusters.slice(0, 8).join(', ') || 'none'}`
      return failed('E_NOT_FOUND', {
        kind: 'cluster',
        name: cluster,
        namespace: hub.value.namespace,
        suggestion,
      })
    }
    const tree = await readTree(c, hub.value, seen.value, { kind: 'Unit', ...refOf(module), cluster })
    return tree.ok ? show(c, tree.value) : tree
  },
}

/** Undefined: the word is about a unit. */
async function whyPromoting(
  c: CommandContext,
  hub: HubConnection,
  text: string,
): Promise<Result<WhyTree, CliFailure> | undefined> {
  const [word = '', at] = text.split('@')
  const ofPromotion = promotionWord(word)
  const ofPipeline = pipelineWord(word)
  if (ofPromotion === undefined && ofPipeline === undefined) return undefined
  const seen = await readAllPipelines(c, hub)
  if (!seen.ok) return seen
  const promotion = ofPromotion === undefined ? undefined : promotionNamed(seen.value, hub, ofPromotion)
  if (promotion && !promotion.ok) return promotion
  const name = promotion?.value.spec.pipelineRef.name ?? ofPipeline!
  const pipeline = pipelineNamed(seen.value, hub, name)
  if (!pipeline.ok) return pipeline
  const behind = environmentsBehind(pipeline.value)
  const [last] = pipeline.value.spec.environments.slice(-1)
  const wanted = promotion?.value.spec.environment ?? at ?? behind[0] ?? last?.name
  const environment = environmentNamed(pipeline.value, `pipeline/${name}@ENVIRONMENT`, wanted)
  if (!environment.ok) return environment
  const isChosen = at === undefined && promotion === undefined && behind.length > 1
  if (isChosen)
    c.terminal.talk(
      `${name} waits in ${behind.length} environments; showing ${wanted}. To choose another, use pipeline/${name}@ENVIRONMENT.`,
    )
  return ok(promotionTree(seen.value, pipeline.value, environment.value))
}

interface ModuleUnits {
  readonly targeted: readonly string[]
  readonly behind: readonly string[]
  readonly isReady: boolean
}

/** Clusters of a Module, those on which it is not ready, and whether it is as a whole; objects of clusters are not read. */
async function unitsOf(
  c: CommandContext,
  hub: HubConnection,
  s: FleetSnapshot,
  module: FleetSnapshot['modules'][number],
): Promise<Result<ModuleUnits, CliFailure>> {
  const objects = await readFleetObjects(c, hub, s)
  if (!objects.ok) return objects
  const answers = new FleetAnswers(objects.value, s.nowMs)
  const targeted = answers.targeted(refOf(module), clusterNames(s))
  const behind = answers.unready(refOf(module), targeted)
  return ok({ targeted, behind, isReady: isReadyNow(module) })
}

/** The name of a Module as references have it. */
const refOf = ({ kind, metadata }: FleetSnapshot['modules'][number]) => ({
  name: metadata.name,
  ...(kind === 'Module' ? {} : { object: { apiVersion: API_VERSION, kind } }),
})

/** A record of another tool, as `KIND/NAME`. */
function externalUnit(s: FleetSnapshot, text: string, cluster: string) {
  const [kind = '', name = ''] = text.split('/')
  const found = s.foreign
    .filter((a) => isOnCluster(s, a, cluster))
    .flatMap((a) => (a.spec.syncs ?? []).map((sync) => ({ sync, group: a.metadata.name })))
    .find(({ sync }) => sync.kind.toLowerCase() === kind.toLowerCase() && sync.name === name)
  if (!found) return undefined
  const { sync, group } = found
  const object = { apiVersion: '', kind: sync.kind }
  return { kind: 'Unit' as const, name: sync.name, cluster, group, object }
}

const withoutChildren = ({ children: _, ...root }: Cause) => root

function show(c: CommandContext, tree: WhyTree): CommandResult {
  const roots = rootsOf(tree.causes)
  const facts = whyReport.fill({ ...tree, rootCauses: roots.map(withoutChildren) })
  const names = roots.map((root) => root.label.replace(' ', '/'))
  if (!printData(c, facts, names))
    for (const line of drawWhy(c.terminal, tree, c.env.clock.now())) c.terminal.print(line)
  return { ok: true, value: tree.state === 'ready' ? 0 : 1 }
}
