/** Names of files as Helm says them, and as they are in the repository. Pure. */
import { at, isString, parseYamlStream, YamlError } from '@lockstep/kube/object'
import type { SourceTree } from '../intake/sourcetree.ts'

export interface ChartNames {
  /** `shop/templates/a.yaml`, as Helm calls it by the name of the chart, as `apps/web/templates/a.yaml`. */
  inRepository(name: string): string
  /** The same for every name in a text. */
  inText(text: string): string
}

/** Undefined: the directory has no Chart.yaml. */
export function chartNames(tree: SourceTree, directory: string): ChartNames | undefined {
  const path = inDirectory(directory, 'Chart.yaml')
  const file = tree.files.find((f) => f.path === path)
  if (!file) return undefined
  const name = nameIn(new TextDecoder().decode(file.bytes))
  const root = inDirectory(directory, '')
  // Nothing is called by a name that cannot be read.
  const known = name === undefined ? /(?!)/g : spoken(name)
  return {
    inRepository: (text) =>
      name !== undefined && text.startsWith(`${name}/`) ? root + text.slice(name.length + 1) : text,
    inText: (text) => text.replace(known, root),
  }
}

export const inDirectory = (directory: string, name: string): string =>
  directory === '' ? name : `${directory}/${name}`

const spoken = (name: string): RegExp =>
  new RegExp(`(?<![\\w./-])${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}/(?=(templates|charts|crds)/)`, 'g')

function nameIn(text: string): string | undefined {
  try {
    const name = at(parseYamlStream(text)[0], 'name')
    return isString(name) && name !== '' ? name : undefined
  } catch (e) {
    if (!(e instanceof YamlError)) throw e
    return undefined
  }
}
