import { describe, expect, it } from 'vitest'
import { parseYamlStream } from '../../../../kube/src/object/index.ts'
import { generatedKustomization } from './overlay.ts'

const firstOf = (text: string) => parseYamlStream(text)[0]

/**
 * Files of a tree, and what Flux's generator lists for `app` (github.com/fluxcd/pkg, kustomize/kustomize_generator.go,
 * scanManifests: a walk that takes *.yaml and *.yml, and a directory with its own kustomization file instead of what is in it).
 */
const trees: readonly [string, readonly string[], readonly string[]][] = [
  ['one file', ['app/a.yaml'], ['a.yaml']],
  ['both endings', ['app/a.yaml', 'app/b.yml'], ['a.yaml', 'b.yml']],
  ['no JSON', ['app/a.json', 'app/b.yaml'], ['b.yaml']],
  ['no other text', ['app/README.md', 'app/a.yaml.bak', 'app/yaml', 'app/b.yaml'], ['b.yaml']],
  ['endings in capitals are others', ['app/A.YAML', 'app/b.yaml'], ['b.yaml']],
  ['directories, however deep', ['app/a/b/c/d.yaml', 'app/e.yml'], ['a/b/c/d.yaml', 'e.yml']],
  ['nothing beside the path', ['app/a.yaml', 'other/b.yaml', 'application/c.yaml'], ['a.yaml']],
  ['hidden files and directories', ['app/.a.yaml', 'app/.hidden/b.yaml'], ['.a.yaml', '.hidden/b.yaml']],
  ['a directory with its own', ['app/own/kustomization.yaml', 'app/own/a.yaml'], ['own']],
  ['by its other name', ['app/own/kustomization.yml', 'app/own/a.yaml'], ['own']],
  ['by its third name', ['app/own/Kustomization', 'app/own/a.yaml'], ['own']],
  [
    'a name that is none of them',
    ['app/own/KUSTOMIZATION.yaml', 'app/own/a.yaml'],
    ['own/KUSTOMIZATION.yaml', 'own/a.yaml'],
  ],
  ['its own beside files', ['app/a.yaml', 'app/own/kustomization.yaml', 'app/own/b.yaml'], ['a.yaml', 'own']],
  ['what is below its own', ['app/own/kustomization.yaml', 'app/own/deep/b.yaml'], ['own']],
  [
    'its own within its own, whichever comes first',
    ['app/own/deep/kustomization.yaml', 'app/own/kustomization.yaml', 'app/own/deep/b.yaml'],
    ['own'],
  ],
  ['its own at a depth', ['app/a/b/kustomization.yaml', 'app/a/c.yaml'], ['a/b', 'a/c.yaml']],
  ['several', ['app/a/kustomization.yaml', 'app/b/kustomization.yaml', 'app/c.yaml'], ['a', 'b', 'c.yaml']],
  [
    'a name that another begins with',
    ['app/own/kustomization.yaml', 'app/own-2/a.yaml'],
    ['own', 'own-2/a.yaml'],
  ],
  ['a file called like a directory', ['app/own.yaml', 'app/own/kustomization.yaml'], ['own', 'own.yaml']],
  ['names with blanks and others', ['app/a b.yaml', 'app/ü.yaml'], ['a b.yaml', 'ü.yaml']],
  ['an empty one', ['app/.gitkeep'], []],
]

describe('the list of resources where there is no kustomization file', () => {
  it.each(trees)('%s', (_, files, expected) => {
    for (const [prefix, directory] of [
      ['', 'app'],
      ['deep/', 'deep/app'],
    ] as const) {
      const paths = files.map((f) => prefix + f).filter((f) => f.startsWith(`${directory}/`))
      const made = firstOf(generatedKustomization(paths, directory)) as { resources: string[] }
      expect(made.resources).toEqual([...expected].sort())
    }
  })

  it('at the root of the repository', () => {
    expect(firstOf(generatedKustomization(['a.yaml', 'own/Kustomization', 'own/b.yaml'], ''))).toMatchObject({
      resources: ['a.yaml', 'own'],
    })
  })
})
