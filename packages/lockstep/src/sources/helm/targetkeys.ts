/** `targetPath` of values: a way through maps, with dots between keys and `\.` for a dot in one. Pure. */
import { err, ok, type Result } from '@lockstep/kube/env'

/** Items of lists have no place in it: a list of values replaces the whole one before it, as Helm merges files. */
export function targetKeys(path: string): Result<string[], string> {
  const keys: string[] = []
  let key = ''
  for (let i = 0; i <= path.length; i++) {
    const c = path[i]
    if (c === '\\' && i + 1 < path.length) key += path[++i]
    else if (c === '[' || c === ']')
      return err(`"${path}" names an item of a list; write the whole list, as YAML, without targetPath`)
    else if (c === '=' || c === ',') return err(`"${path}": ${c} has no meaning here; write \\${c}`)
    else if (c !== '.' && c !== undefined) key += c
    else if (key === '') return err(`"${path}" has an empty key; write a.b`)
    else {
      keys.push(key)
      key = ''
    }
  }
  return ok(keys)
}
