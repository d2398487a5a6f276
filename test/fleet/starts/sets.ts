/** ClusterResourceSet crs1, Continuous, with ConfigMaps x and y of source a: in sync on some clusters. */
import { manifest, SetStory, sources, yaml } from '../setstory.ts'
import type { StartState } from './start.ts'

const made = new Map<string, StartState<SetStory>>()

type Annotations = Readonly<Record<string, string>>

/** One state per clusters and annotations: a state is delivered once. */
export function setInSync(clusters: readonly string[], annotations: Annotations): StartState<SetStory> {
  const key = JSON.stringify([clusters, annotations])
  const known = made.get(key) ?? inSync(clusters, annotations)
  made.set(key, known)
  return known
}

const config = (name: string) => manifest('ConfigMap', name, { data: { v: '1' } })

const inSync = (clusters: readonly string[], annotations: Annotations): StartState<SetStory> => ({
  clusters,
  options: { unjudged: true },
  open: (fleet) => new SetStory(fleet),
  async deliver(story) {
    await story.install(clusters)
    await story.source('a', { 'a.yaml': yaml(config('x'), config('y')) })
    await story.set('crs1', sources('a'), { strategy: 'Continuous', annotations })
    const isReady = (type: string): boolean => story.said('crs1', type).startsWith('True/')
    if (await story.until(() => isReady('lockstep.dev/Converged') && isReady('Ready'), 60)) return
    throw new Error(story.said('crs1', 'lockstep.dev/Converged'))
  },
})
