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
  summary: 'Make Modules and Pipelines of what another tool has',
  arguments: '<tool> [paths...]',
  completes: ['importTopic', 'importSource'],
  selects: ['allNamespaces'],
  detail: [
    'import flux PATH...: reads Kustomizations and their sources in files, folders or - (standard input), without a cluster, and makes one Module of each. Name the folder that Flux reads for one cluster. Manifests are read as they are: of overlays, pipe in what kustomize build prints.',
    'import fleeet PATH...: the same of Modules and BootstrapModules of Fleeet, with their bindings. What each field becomes: docs/reference/import-fleeet.md.',
    'import pipelines PATH...: a Pipeline for each one of pipelines.weave.works, with the same promotions; what had no effect there is listed. What each field becomes: docs/reference/import-pipelines.md.',
    'import crs NAME...: a Module for each ClusterResourceSet of the hub that is named: the same objects to the same clusters. It takes over what the set has delivered.',
    'import clustergroup FILE...: a Module with render.clusterGroup for values files of a Validated Pattern, from left to right, and what comes of them: objects, waits in place of Jobs, Jobs that stay, traps of the chart. docs/reference/import-clustergroup.md says more.',
    'What a Module cannot say is listed with its place, its reason and what to do, and nothing is written unless --accept-loss is given. A Module that would then deliver something else, or too early, selects no cluster: it says so, and waits for spec.targets. What each field becomes: docs/reference/import-flux.md.',
    'Exit 1 when something is not imported, 2 when something could not be read; the rest is looked at, and nothing is written.',
  ].join('\n'),
  options: [
    {
      flags: '--out <dir>',
      text: 'write one file for each there; without it they are printed',
      completes: 'file',
    },
    { flags: '--force', text: 'write over files that are there' },
    { flags: '--accept-loss', text: 'go on without what is not imported' },
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
    ['Files, although something is missing', 'import flux clusters/prod --out modules --accept-loss'],
    ['Pipelines of weaveworks', 'import pipelines -f pipelines.yaml --out pipelines'],
    ['A Module for a ClusterResourceSet', 'import crs shop -n sets'],
    ['A Module for a Validated Pattern', 'import clustergroup -f values-hub.yaml --accept-loss'],
  ],
  async run(c, args, flags) {
    const [what = '', ...named] = args
    const files = listFlag(flags, 'filename')
    const paths = [...named, ...files]
    if (!IMPORT_TOPICS.includes(what)) {
      const meant = nearest(what, IMPORT_TOPICS)
      return failed('E_USAGE', {
        problem: `nothing is imported from "${what}"`,
        suggestion: meant
          ? `Did you mean lockstep import ${meant}?`
          : `There is: ${IMPORT_TOPICS.join(', ')}.`,
      })
    }
    if (isSet(flags, 'force') && textFlag(flags, 'out') === undefined)
      return failed('E_USAGE', { problem: '--force is for --out', suggestion: 'Give --out DIR, too.' })
    if (what === 'crs' && files.length > 0)
      return failed('E_USAGE', { problem: '-f is not for crs', suggestion: 'Name the sets.' })
    if (what === 'pipelines' && isSet(flags, 'acceptLoss'))
      return failed('E_USAGE', {
        problem: '--accept-loss is not for pipelines',
        suggestion: 'Leave it out, and correct what is wrong.',
      })
    const stray = what === 'crs' ? 'acceptLoss' : 'all'
    if (isSet(flags, stray))
      return failed('E_USAGE', {
        problem: stray === 'all' ? `--all is for crs, not for ${what}` : '--accept-loss is not for crs',
        suggestion: stray === 'all' ? 'Name the paths.' : 'Leave it out: nothing of a set is lost.',
      })
    if (what === 'pipelines') return importPipelines(c, paths, flags)
    if (what === CLUSTERGROUP_TOPIC) return importGroup(c, paths, flags)
    return what === 'crs' ? importSets(c, args, flags) : importFiles(c, what, paths, flags)
  },
}
