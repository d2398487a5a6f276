import { type Command, failed, isSet, listFlag, textFlag } from '../../kit/index.ts'
import { CLUSTERGROUP_TOPIC } from '../../kit/render/index.ts'
import { nearest } from '../../kit/terminal/index.ts'
import { IMPORT_TOPICS } from '../../kit/topics/index.ts'
import { importFiles } from './importfiles.ts'
import { importGroup } from './importgroup.ts'
import { importPipelines } from './importpipelines.ts'
import { importSets } from './importsets.ts'

/** `lockstep import`. */
export const importCommand: Command = {
  name: 'import',
  summary: 'Convert resources of other tools',
  arguments: '<tool> [paths...]',
  completes: ['importTopic', 'importSource'],
  selects: ['allNamespaces'],
  detail: [
    'import flux PATH...: reads Kustomizations and their sources from files, folders or - (standard input), without a cluster, and converts each to a Module. Name the folder that Flux reads for one cluster. Manifests are not rendered: for overlays, pipe in the output of kustomize build.',
    'import fleeet PATH...: the same for Modules and BootstrapModules of Fleeet, with their bindings. docs/reference/import-fleeet.md lists each field.',
    'import pipelines PATH...: converts each Pipeline of pipelines.weave.works to a Pipeline with the same promotions, and lists fields without effect. docs/reference/import-pipelines.md lists each field.',
    'import crs NAME...: converts each named ClusterResourceSet of the hub to a Module with the same objects and clusters. The Module adopts the objects of the set.',
    'import clustergroup FILE...: creates a Module with render.clusterGroup for values files of a Validated Pattern; later files override earlier ones. Lists its objects, waits in place of Jobs, other Jobs, and traps of the chart; see docs/reference/import-clustergroup.md.',
    'Fields that a Module cannot have are listed with place, reason and next action. Without --accept-loss nothing is written then. A Module that would deploy other objects, or deploy too early, targets no cluster until you set spec.targets. docs/reference/import-flux.md lists each field.',
    'Exit 1 when a field is not imported, 2 when a file could not be read; other files are read, and nothing is written.',
  ].join('\n'),
  options: [
    {
      flags: '--out <dir>',
      text: 'folder for one file a resource; without it, prints them',
      completes: 'file',
    },
    { flags: '--force', text: 'overwrite existing files' },
    { flags: '--accept-loss', text: 'continue without fields that cannot be imported' },
    {
      flags: '-f, --filename <path>',
      text: 'file, folder or -, as PATH; may be repeated',
      completes: 'file',
      repeats: true,
    },
    { flags: '--all', text: 'of crs: all of the namespace, or with -A of the hub' },
  ],
  formats: ['table', 'json', 'yaml', 'name'],
  examples: [
    ['Convert a folder of Flux in spite of losses', 'import flux clusters/prod --out modules --accept-loss'],
    ['Convert Pipelines of Weave GitOps', 'import pipelines -f pipelines.yaml --out pipelines'],
    ['Convert a ClusterResourceSet to a Module', 'import crs shop -n sets'],
    ['Convert a Validated Pattern to a Module', 'import clustergroup -f values-hub.yaml --accept-loss'],
  ],
  async run(c, args, flags) {
    const [what = '', ...named] = args
    const files = listFlag(flags, 'filename')
    const paths = [...named, ...files]
    if (!IMPORT_TOPICS.includes(what)) {
      const meant = nearest(what, IMPORT_TOPICS)
      return failed('E_USAGE', {
        problem: `unknown tool "${what}"`,
        suggestion: meant ? `did you mean lockstep import ${meant}?` : `tools: ${IMPORT_TOPICS.join(', ')}`,
      })
    }
    if (isSet(flags, 'force') && textFlag(flags, 'out') === undefined)
      return failed('E_USAGE', { problem: '--force requires --out', suggestion: 'add --out DIR' })
    if (what === 'crs' && files.length > 0)
      return failed('E_USAGE', {
        problem: '-f must not be used with crs',
        suggestion: 'give the names of the sets',
      })
    if (what === 'pipelines' && isSet(flags, 'acceptLoss'))
      return failed('E_USAGE', {
        problem: '--accept-loss must not be used with pipelines',
        suggestion: 'remove it, and correct the Pipelines',
      })
    const stray = what === 'crs' ? 'acceptLoss' : 'all'
    if (isSet(flags, stray))
      return failed('E_USAGE', {
        problem:
          stray === 'all' ? `--all requires crs, not ${what}` : '--accept-loss must not be used with crs',
        suggestion: stray === 'all' ? 'give paths' : 'remove it: an import of a set loses nothing',
      })
    if (what === 'pipelines') return importPipelines(c, paths, flags)
    if (what === CLUSTERGROUP_TOPIC) return importGroup(c, paths, flags)
    return what === 'crs' ? importSets(c, args, flags) : importFiles(c, what, paths, flags)
  },
}
