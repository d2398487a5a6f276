import { type FieldNode, FieldSet, type PathElement } from '@lockstep/kube/fields'

interface FieldNodeDraft {
  isMember: boolean
  children: Map<PathElement, FieldNodeDraft> | undefined
}

/** Collects paths into a set. */
export class FieldSetBuilder {
  private readonly root = new Map<PathElement, FieldNodeDraft>()

  /** Adds a path; the root itself is nobody's. */
  add(path: readonly PathElement[], last?: PathElement): void {
    let level = this.root
    let draft: FieldNodeDraft | undefined
    const length = path.length + (last === undefined ? 0 : 1)
    for (let i = 0; i < length; i++) {
      const element = (i < path.length ? path[i] : last) as PathElement
      draft = level.get(element)
      if (draft === undefined) {
        draft = { isMember: false, children: undefined }
        level.set(element, draft)
      }
      if (i < length - 1) {
        draft.children ??= new Map()
        level = draft.children
      }
    }
    if (draft) draft.isMember = true
  }

  build(): FieldSet {
    return finish(this.root)
  }
}

function finish(level: Map<PathElement, FieldNodeDraft>): FieldSet {
  const nodes = new Map<PathElement, FieldNode>()
  for (const [element, draft] of level)
    nodes.set(element, {
      isMember: draft.isMember,
      children: draft.children && finish(draft.children),
    })
  return FieldSet.of(nodes)
}
